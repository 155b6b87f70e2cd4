/**
 * Tells when the requests to the owner may have changed, by looking at their folder twice a second:
 * that works on every file system, and takes no lock.
 *
 * @module
 */

/** Looks this often. */
const LOOK_MS = 500;
/** Without any change the requests are read again after so many looks: one may have lapsed. */
const LOOKS = 20;

/**
 * Yields whenever the requests may have changed.
 *
 * @param home The state root.
 * @param signal Ends the looking.
 */
export async function* requestChanges(home: string, signal: AbortSignal): AsyncGenerator<void> {
  let before = signOf(home);
  for (let looks = 1; !signal.aborted; looks++) {
    await pause(LOOK_MS, signal);
    const now = signOf(home);
    if (now === before && looks % LOOKS !== 0) continue;
    before = now;
    yield;
  }
}

/** Names and times of the challenges; empty while there are none. */
function signOf(home: string): string {
  const dir = `${home}/owner/challenges`;
  try {
    return [...Deno.readDirSync(dir)]
      .map(({ name }) => `${name} ${timeOf(`${dir}/${name}`)}`)
      .sort().join("\n");
  } catch {
    return "";
  }
}

function timeOf(path: string): number {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? 0;
  } catch {
    return 0; // Gone since it was listed.
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
  });
}
