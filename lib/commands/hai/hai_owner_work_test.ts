/** The owner's hand on running sessions: seen, ended one by one, stopped and let go on. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, haiCase } from "../../../tests/util/hai_home.ts";
import { ownerService } from "../../hai/shell/owner_service.ts";
import { runOwnerWork } from "./hai_owner_work.ts";

haiCase("hai-mcp owner", "ends sessions, stops all work and lets it go on", async (hai) => {
  const { mission_id } = await hai.open();
  const run = (action: string, sessionId?: string) =>
    runOwnerWork(ownerService(hai.shell), { action, sessionId });
  const first = await hai.authorize(mission_id);
  assertStringIncludes((await run("leases")).lines.join(), first.session_id);
  assertEquals((await run("revoke", "S-none")).status, 1);
  assertEquals((await run("revoke", first.session_id)).status, 0);
  const check = { session_id: first.session_id, activity_step: "s", criterion_id: "dc-1" };
  assertRefused(await hai.call("hai_check_activity", check), "lease_revoked");
  const second = await hai.authorize(mission_id);
  assertEquals((await run("stop-all")).status, 0);
  hai.restart();
  const stopped = { ...check, session_id: second.session_id };
  assertRefused(await hai.call("hai_check_activity", stopped), "lease_revoked");
  assertRefused(await hai.authorize(mission_id), "work_stopped", "hai-mcp owner resume");
  assertEquals((await run("resume")).status, 0);
  assertEquals((await hai.authorize(mission_id)).ok, true);
});
