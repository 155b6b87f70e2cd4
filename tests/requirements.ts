/**
 * What the specifications promise, by id. A test cites the ids that it holds at the end of its name,
 * `(C7, S8)`, or begins with them, `HAI-042 ...`; tests/requirements_test.ts fails for an id that no
 * test cites and for a cited id that is not here.
 */

/** The proxy as an HTTP client (C) and as an HTTP server (S). */
const HTTP = `
C1 Each message is one POST to the one endpoint, which accepts JSON and event streams
C2 A request, a notification and a response are each sent as a body
C3 202 takes a notification or response; a refusal answers the request, and never a notification
C4 The response's type says whether it is one JSON body or an event stream
C5 Notifications and requests of the server reach the host before the answer, in order
C6 Event streams are read with every line end, comments, a BOM, and events without data
C7 The session id of the response to initialize goes with every later POST, GET and DELETE
C8 A lost session is opened again with the host's own initialize; an unanswered write is not repeated
C9 A server that gives no session id is asked without one
C10 The negotiated version goes with every request after initialize, and with none before
C11 Any refusal of GET means that there is no such stream, never a dead session
C12 A GET stream that ends is opened again after a delay that grows and has a bound
C13 A stream that ends before its answer is resumed after its last event, or answered with an error
C14 A cancellation of the legacy era is POSTed with the host's id
C15 A cancelled request of the modern era has its response stream closed
C16 The session ends with one DELETE that is not waited for beyond a bound
C17 Headers of a modern request repeat its version, method and name
C18 Header values that are not plain ASCII are written in base64
C19 Arguments that a tool's schema names are repeated as headers
C20 Tools whose header annotations are invalid are left out of the list, and nothing else is
C21 When headers did not match, the tools are listed and the call is made once more
C22 A JSON-RPC error of the pending id is handed on, whatever the status
C23 What answers a probe of the modern era is handed on, and the host's initialize is served
C24 Requests of the proxy's own say that it can give no input
C25 A host's credentials never reach the upstream
C26 Redirects never lead around the proxy, and never carry credentials elsewhere
S1 There is one path, for POST, GET and DELETE
S2 A foreign Origin or Host is refused with 403, and starts nothing
S3 The token is asked for before the body is read
S4 A notification or response that is taken gets 202
S5 A request is answered with JSON or an event stream, as the host accepts
S6 Batches are taken in 2025-03-26 alone
S7 A session id is random and of visible ASCII
S8 A missing session id is 400, an unknown or ended one 404
S9 DELETE ends a session
S10 GET is an event stream or 405; a second one takes the first one's place
S11 Each message is on exactly one stream, a request's own on that request's
S12 An unsupported version is 400, but not on initialize
S13 A stream is resumed after the event that the host got last
S14 Hosts of 2025-11-25 and later get a priming event, older ones none
S15 A host that drops its connection cancels nothing
S16 A modern host that closes its response stream cancels the request
S17 A cancellation that is POSTed reaches the same server at once, with the id that it knows
S18 Headers that are missing, malformed or not the body's are refused with -32020
S19 Errors of the protocol have the status that the specification gives them, and the request's id
S20 Headers that nobody knows are forwarded
S21 Event streams tell caches and proxies to leave them alone
S22 A subscription gets what it asked for, tagged with the host's id
S23 A modern host gets no requests
S24 Results of the proxy's own are marked complete
S25 A modern-only server's refusal of initialize is handed on, and leaves no session
S26 Bodies, sessions and idle time have limits
`;

/** Faults of other proxies, SDKs and gateways that ours must not share. */
const FAULTS_OF_OTHERS = `
R01 Characters cut over two reads arrive whole
R02 Lines of any length arrive, at 64 KiB and far beyond
R03 Unicode line separators inside a string end no line
R04 Numbers, duplicate keys and spacing are never rewritten
R06 A session that the server lost is opened again
R07 An unknown session id is 404
R08 A wrapper's server does not outlive the session
R09 A server that ignores the end of its input is ended
R10 A host that is killed takes the proxy and the server with it
R12 A request that fails has exactly one answer
R13 The version that was negotiated is the version that is sent
R14 Nothing queues without limit for a peer that does not read
R15 Priming events, comments and odd cuts are no messages
R17 A second GET kills nothing
R19 Ids keep their text and type, 0 and "" too
R20 A cancellation overtakes the request it cancels
R22 Fields that nobody knows arrive
R23 A server is started once a session
R25 Pages of other sites get no answer
P01 A server that exits at a probe ends the session with its status
P02 A probe leaves nothing behind for the next request's headers
P03 A server without session ids works
P06 A server that writes much on stderr is not blocked
P07 A version header on initialize is not checked
P09 Each notification arrives once
P10 Arguments reach the server without a shell in between
`;

/** The cases of hai-mcp. L is the legacy gate, N the nonce gate. */
const HAI = `
HAI-001 hai_health with a valid project -> ok, model_calls:false, writable, resolved project path
HAI-002 Health in N -> owner_gate.mode:"nonce", channel file, owner home reported, owner directory not created
HAI-003 Health in L -> warning contains "honor system"
HAI-004 Health -> kernel:"contract_kernel", both honesty flags false, projects present
HAI-005 HAI_OWNER_GATE=trust-me -> mode nonce and a warning naming the variable; ack -> ack_legacy
HAI-006 TTL abc -> 600 + warning; 5 -> 30 + warning
HAI-007 Unknown channel -> file + warning
HAI-008 Project path missing -> missing_project; blank -> invalid_args
HAI-009 One lane set, then park -> active_unchanged, lane count 1, inbox count 1
HAI-010 Two lanes, third id -> max_active_lanes with the list; context file unchanged
HAI-011 Existing lane focused again with a new label -> label updated, count unchanged
HAI-012 Focus with a bad project path -> error, nothing written
HAI-013 Park blank -> invalid_args; two parks in one second -> two files
HAI-014 Importing or starting the server with HAI_HOME set elsewhere -> ~/.hai untouched
HAI-015 Propose -> proposed file, canonical:false; blank content -> invalid_args
HAI-016 L: ack in {false,null,0,1,"true"} -> owner_gate_required, no canonical file
HAI-017 L: ack true, blank reason -> refused
HAI-018 L: ack true + reason -> canonical contains body and reason; proposal gone; history record written
HAI-019 Accept without proposal or content -> no_proposal
HAI-020 Get before accept -> exists:false; after -> content, source:"canonical"
HAI-021 Second accept -> previous canonical kept in history
HAI-022 Artifact dir symlinked outside -> path_outside_root on propose, read and get; outside bytes unchanged
HAI-023 NEXT_STEP.md symlinked outside -> get refuses; artifacts and checkpoint omit it
HAI-024 max_chars 0/"10"/true -> invalid_args; 1 -> clamped to 500; 99999 -> 20000
HAI-025 Marker line stripped from an accepted proposal
HAI-026 Focus + proposal, checkpoint with project -> recover(id) returns same id, meta, advice
HAI-027 No checkpoints -> mode:"no_checkpoint"
HAI-028 Unknown id -> invalid_args
HAI-029 (better) id ../../x or absolute -> invalid_args
HAI-030 Valid open -> active, v1, sha256: hash, pointer set
HAI-031 Missing artifact -> review_required listing it; pointer stays null; audited
HAI-032 "an HAI arbeiten", "everything", "misc" -> review_required, "too broad"
HAI-033 Duplicate criterion ids -> review_required, "duplicate"
HAI-034 Empty criteria; criterion without description; verifiable:false -> review_required
HAI-035 Several faults at once -> all listed
HAI-036 allowed_paths ../, /abs/root, src/../.. -> review_required
HAI-037 Second open -> active_mission_exists with the first id
HAI-038 Two concurrent opens -> one active, one denied
HAI-039 Recomputed hash equals the stored one (vector A-1)
HAI-040 Criterion without id -> dc-1
HAI-041 No project_path -> opens; project_path:null
HAI-042 hai_mission_start with limit 2 -> stored limit equals 2; objective = problem
HAI-043 hai_mission_start limit "8", true, 0.5 -> invalid_args, no mission
HAI-044 project_id + device + path -> mount stored, contract path null
HAI-045 project_id in {../evil,/abs,A,} or device in {../evil,MacBook} -> refused, no pointer, no mount
HAI-046 project_id without device or path -> review_required
HAI-047 Bind with ack false -> owner_gate_required, no mount; true + reason -> mount is the real path
HAI-048 Bind unknown project -> invalid_args
HAI-049 Bind via a symlink leaving its parent -> path_outside_root
HAI-050 Lease for an unbound device -> device_mount_required; no device -> invalid_args
HAI-051 Lease on device B -> get_contract shows B's mount, same mission, version, hash
HAI-052 Recontract keeps project_id and null path; hash changes; changing project_id -> invalid_args
HAI-053 Authorize valid -> granted; contract via lease deep-equals the opened one; remaining > 0
HAI-054 Version 99 -> contract_version_mismatch
HAI-055 Blank identity/role/contribution/expected -> invalid_args, denied
HAI-056 Duration "30", 30.9, true, "not-a-number" -> invalid_args
HAI-057 Version "1" or true -> invalid_args; the integer then works
HAI-058 Second lease with max 1 -> parallel_session_denied
HAI-059 First lease expired -> second granted, first marked expired
HAI-060 Duration 99999 -> expires 24 h after grant
HAI-061 Unknown or empty criterion ids -> invalid_args with clause
HAI-062 Capability outside the contract -> invalid_args with clause; none given -> all, sorted
HAI-063 Expired lease -> lease_expired, required_action:"pause"; exactly one lease_expired event
HAI-064 After recontract -> old lease contract_version_mismatch
HAI-065 After stop -> lease_revoked; after close -> mission_not_active
HAI-066 Session id ../../sessions/evil -> invalid_args
HAI-067 Stored mission or session id tampered -> session not found, file not modified
HAI-068 sessions/ symlinked outside -> not found, invalid_args, outside bytes unchanged
HAI-069 Each id kind rejects: wrong prefix, /, \\, .., absolute, NUL, padding, trailing newline, short stamp, uppercase hex, number
HAI-070 Mission id ../../escape in authorize, close, recontract -> invalid_args
HAI-071 "add lifecycle test cases", dc-1, /p/tests/x.py -> in_scope / continue
HAI-072 same, relative src/x.py, project_id mission, lease device's mount -> in_scope / continue
HAI-073 absolute path on the *other* device's mount -> drift / stop
HAI-074 /p/outside/secret.txt -> drift / stop
HAI-075 /etc/passwd + declares_blocker:true -> drift / stop (blocker never hides drift)
HAI-076 /etc/passwd, mission without a root -> drift / stop
HAI-077 src/foo\\0.py -> drift / stop, structured, no exception
HAI-078 trace_events:[{action:"commit"}], not granted -> drift / stop
HAI-079 {action:"secrets"} with an allowed path -> drift / stop
HAI-080 {action:"  PUSH "} not granted -> drift / stop
HAI-081 {action:"write"} with a read-only lease -> ignored
HAI-082 step blank, no paths -> unclear / pause
HAI-083 no criterion -> unclear / pause
HAI-084 criterion dc-9 -> drift / stop
HAI-085 criterion dc-2 (in contract, not in lease) -> drift / request_recontract
HAI-086 "rewrite entire architecture for fun", dc-1 -> park_candidate / park
HAI-087 same + blocker true -> park_candidate / park (7 before 8)
HAI-088 "missing dependency blocks tests", blocker true -> blocker / pause
HAI-089 same, blocker 1 -> in_scope / continue
HAI-090 expired / revoked / stale lease -> error + unclear / pause
HAI-091 bad path and bad trace -> drift, clause constraints.allowed_paths
HAI-092 Each successful check appends one activity_checked event with counts but no step text
HAI-093 Invalid lease -> verdict unclear/pause, no event
HAI-094 hai_drift_check answers exactly as hai_check_activity
HAI-095 Prefix src does not allow srcx/a; allows src and src/a
HAI-096 Symlink in src/ to outside -> drift
HAI-097 Empty allowed_paths -> anything in the root is allowed
HAI-098 Lease with commit granted + trace commit -> not drift
HAI-099 Park item valid -> parked, actionable:false, contract unchanged
HAI-100 Blank trigger -> names trigger_event; foreign session -> names origin_session_id
HAI-101 Intake -> id I-..., file exists, actionable:false; blank -> invalid_args
HAI-102 intake/distillations/stops symlinked outside -> path_outside_root, sentinel unchanged
HAI-103 Distill with 3 park items -> parked_count:3, inbox +3
HAI-104 Distill blank or multi-line decision/step -> invalid_args
HAI-105 Distill unknown or malformed intake -> invalid_args
HAI-106 L: ack false -> pending confirmation with diff; no v2
HAI-107 L: approved -> v2, diff, old lease in revoked_sessions, v1 file intact
HAI-108 changes.mission_id (even with ack) -> invalid_args "system-managed"; no v2
HAI-109 Unknown key -> invalid_args; empty changes -> "empty diff"; mode turbo -> invalid_args
HAI-110 Owner swap inside constraints -> owner unchanged, other changes applied
HAI-111 max_parallel_sessions:"999" -> invalid_args
HAI-112 break_glass without marker, or marker 1 -> owner_gate_required, version unchanged; with true -> audit_classification:"break_glass"
HAI-113 ack in {false,null,0,1,"true"} -> refused, still v1
HAI-114 Missing criterion -> incomplete listing it; mission active
HAI-115 Evidence {} -> incomplete, all missing
HAI-116 File outside the project -> incomplete, invalid
HAI-117 Symlink to outside -> incomplete, symlink/path_outside_root
HAI-118 Directory -> incomplete, "directory"; nonexistent -> invalid
HAI-119 No project root -> incomplete, each invalid_args, nothing hashed
HAI-120 All verified -> completed, hashes, pointer null, next_mission:null, leases revoked
HAI-121 Blank summary -> invalid_args; closure done -> invalid_args
HAI-122 project_id mission without device_id -> invalid_args, still active
HAI-123 L: abandon ack false/1 -> owner_gate_required; true -> abandoned, leases revoked, pointer null
HAI-124 Full cycle open->authorize->contract->check->close succeeds
HAI-125 Stop -> leases revoked, mission still active, pointer unchanged, next_mission:null
HAI-126 Blank day -> invalid_args; manual_practice blanks dropped; omitted -> []; string -> refused
HAI-127 owner_ack:true alone -> pending, nothing written
HAI-128 Code only in the owner file (0600, shows the content); absent from all of HAI_HOME
HAI-129 Right code -> success once; reuse -> no_pending_challenge
HAI-130 Lower case and spaces accepted
HAI-131 Three misses: remaining 2, 1, then cancelled; right code then dead; next ask -> new id
HAI-132 Changed content/diff with the code -> no_pending_challenge; the approved one still passes
HAI-133 Repeated asks -> same id, one owner file, count 1
HAI-134 After TTL -> no_pending_challenge, record expired
HAI-135 abc -> malformed_owner_code, no challenge created
HAI-136 Owner home in HAI_HOME -> owner_channel_unavailable, directory not created
HAI-137 Four parallel uses -> exactly one ok
HAI-138 Recontract: pending shows diff, owner text too; code applies v2
HAI-139 Abandon: pending keeps active; code abandons
HAI-140 ntfy: POST to <url>/<topic> with bearer; code works; network error -> unavailable, none pending; no topic -> unavailable naming the variable
HAI-141 Audit has issued + passed events and never the code
HAI-142 Seqs 1...n without gaps; each prev id/hash matches; HEAD = last
HAI-143 Event files are unique
HAI-144 Bind: loopback names allowed; 0.0.0.0 only with a token
HAI-145 Token set: absent/wrong header -> 401 {"error":"unauthorized"}; right -> served
HAI-146 Two HTTP clients see the same active mission
HAI-147 tools/list gives exactly the expected names (24 or 27)
HAI-148 stdio smoke: initialize, list, health, denied accept, start, authorize, drift, close — all as specified, live homes untouched
HAI-149 Second start -> learning_block_active
HAI-150 Complete early -> learning_time_required; in time with evidence -> 2 credits; again -> already completed
HAI-151 Abandon without ack -> owner_gate_required; with -> 0 credits
HAI-152 Corrupt block -> capacity = floor with a degraded reason
HAI-153 Live suspension -> capacity = cap; expired, restored, reasonless or symlinked log -> not suspended; a torn line does not hide a valid one
HAI-154 Backlogs: undistilled intake; next step without outcome; parked item. Distilled intake leaves the first and enters the second
HAI-155 Focus relevance outranks age; else oldest first; at most 3 shown per backlog
HAI-156 Resolve never edits the item; deleting the resolution reopens it; a second -> already_resolved; blank why, bad outcome, bad id -> invalid_args; unknown -> unknown_item; promoted needs a mission id; chain and HEAD correct
`;

/** Every promise by its id. */
export const REQUIREMENTS: ReadonlyMap<string, string> = new Map(
  [HTTP, FAULTS_OF_OTHERS, HAI].flatMap((table) => table.trim().split("\n")).map((line) => {
    const [id = ""] = line.split(" ", 1);
    return [id, line.slice(id.length + 1)];
  }),
);
