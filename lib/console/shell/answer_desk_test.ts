import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AnsweringConsole } from "../../../tests/util/answering_console.ts";
import { heldCalls } from "../../disk/approval/approval_folder.ts";

/** The fields of the form with a verdict, as the page has them. */
function formOf(page: string, verdict: string): Record<string, string> {
  const form =
    page.match(/<form[^]*?<\/form>/g)?.find((text) =>
      text.includes(`name="verdict" value="${verdict}"`)
    ) ?? "";
  return Object.fromEntries(
    [...form.matchAll(/name="(\w+)"\s+value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
}

Deno.test("the console approves a held call with the owner's code alone", async () => {
  await using desk = new AnsweringConsole();
  const page = await desk.page();
  assertStringIncludes(page, "money leaves (shop.pay)");
  assertEquals(page.includes("<script>alert"), false);
  const form = formOf(page, "approved");
  assertEquals(await desk.send(form), "code", "the cookie approves nothing");
  assertEquals(await desk.send({ ...form, code: "AAAA-AAAB" }), "code");
  assertEquals(await desk.send(form, { origin: "http://evil.example" }), 403);
  assertEquals(await desk.send(form, { cookie: "" }), 401);
  const [code = ""] = desk.codes;
  assertEquals(await desk.send({ ...form, fingerprint: "0".repeat(64), code }), "changed");
  assertEquals(heldCalls(`${desk.dir}/held`, desk.home.unixMs).length, 1);
  assertEquals(await desk.send({ ...form, code }), "approved");
  assertEquals(heldCalls(`${desk.dir}/held`, desk.home.unixMs).length, 0);
  assertEquals(await desk.send({ ...form, code }), "answered");
});

Deno.test("the console denies a held call without a code, and takes no other word", async () => {
  await using desk = new AnsweringConsole();
  const form = formOf(await desk.page(), "denied");
  assertEquals(await desk.send({ ...form, verdict: "yes" }), "unclear");
  assertEquals(await desk.send({ kind: "everything" }), "unclear");
  assertEquals(await desk.send(form), "denied");
  assertStringIncludes(await desk.page(), "No call waits");
});

Deno.test("the console decides requests at the gate with the seals of the terminal, and stops all work", async () => {
  await using desk = new AnsweringConsole();
  const { mission_id } = await desk.home.open();
  const asked = await desk.home.call("hai_close_mission", {
    mission_id,
    contract_version: 1,
    closure: "abandoned",
    outcome_summary: "<b>because</b>",
  });
  assertEquals(asked.error, "owner_gate_required", JSON.stringify(asked));
  const page = await desk.page();
  assertStringIncludes(page, "&lt;b&gt;because&lt;/b&gt;");
  const forms = page.match(/<form[^]*?<\/form>/g) ?? [];
  const gate = forms.find((text) => /value="request"[^]*value="approved"/.test(text)) ?? "";
  const form = formOf(gate, "approved");
  assertEquals(await desk.send(form), "code");
  assertEquals(await desk.send({ ...form, code: desk.codes.at(-1) ?? "" }), "approved");
  assert((await desk.page()).includes("approved, not used yet"));
  assertEquals(await desk.send({ ...form, verdict: "pending" }), "pending");
  assertEquals(await desk.send({ kind: "stop" }), "stopped");
  assertEquals(await desk.send({ kind: "resume" }), "code");
  assertEquals(await desk.send({ kind: "resume", code: desk.codes.at(-1) ?? "" }), "resumed");
  assertEquals(desk.faults, []);
});

Deno.test("the console shows what proved a closed mission", async () => {
  await using desk = new AnsweringConsole();
  const { mission_id } = await desk.home.open();
  desk.home.write("project/tests/run.log", "3 of 3 agree\n");
  const closed = await desk.home.call("hai_close_mission", {
    mission_id,
    contract_version: 1,
    closure: "completed",
    outcome_summary: "<i>stable</i>",
    evidence: { "dc-1": { path: "tests/run.log" } },
  });
  assertEquals(closed.status, "completed", JSON.stringify(closed));
  const page = await desk.page();
  assertStringIncludes(page, `${mission_id}, completed`);
  assertStringIncludes(page, "&lt;i&gt;stable&lt;/i&gt;");
  assertStringIncludes(page, "tests/run.log");
  const { sha256 } = closed.verified_criteria["dc-1"];
  assertStringIncludes(page, sha256.replace("sha256:", "").slice(0, 16));
  assertEquals(desk.faults, []);
});
