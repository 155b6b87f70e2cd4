/**
 * One row in full: arguments, answers, raw lines.
 *
 * @module
 */

import {
  type ContentPart,
  contentParts,
  jsonBehind,
  MAX_SHOWN_LINE,
  type MessageRecord,
} from "../record/message_record.ts";
import type { AnswerPlace, SessionRow } from "../record/session_row.ts";
import { durationText } from "../../timeline/header_lines.ts";
import { type Html, markup, NOTHING } from "./html.ts";
import { JsonView } from "./json_view.ts";
import { sizeText } from "./layout.ts";
import { clock, OUTCOME_WORDS } from "./session_page.ts";

/** What the page shows. */
export interface RowModel {
  readonly row: SessionRow;
  /** The row's own message; undefined when its line is too long or no longer there. */
  readonly asked: MessageRecord | undefined;
  readonly answers: readonly {
    readonly place: AnswerPlace;
    readonly record: MessageRecord | undefined;
  }[];
  /** Whether everything is shown. */
  readonly isAll: boolean;
  /** Whether the raw lines are shown. */
  readonly isRaw: boolean;
  /** Address of the session's pages. */
  address(rest: string): string;
  /** Address of a picture: of an answer's content item. */
  image(answer: number, item: number): string;
  readonly isLive: boolean;
}

/** Characters of a raw line that are shown. */
const RAW_CHARS = 20_000;

/** Prints a row's page. */
export function rowPage(model: RowModel): Html {
  const { row, address } = model;
  return markup`<p class="back"><a href="${
    address(`?from=${row.n}#r${row.n}`)
  }">Back to the session</a></p>
<h1>${row.kind === "spoken" ? row.by : row.name}</h1>
${rowBody(model)}`;
}

/** Prints what a row's page and its place in the waterfall share. */
export function rowBody(model: RowModel): Html {
  const { row, answers, isAll, address } = model;
  const own = address(`rows/${row.n}`);
  const view = new JsonView({ isAll, allAddress: model.isLive ? `${own}?all=1` : undefined });
  const facts = [
    `${row.by}, at ${clock(row.tMs)}`,
    OUTCOME_WORDS[row.outcome],
    row.endMs === undefined ? "" : `after ${durationText(row.endMs - row.tMs)}`,
    row.progress > 0 ? `${row.progress} notifications of progress` : "",
  ].filter((text) => text !== "").join(", ");
  return markup`<div class="parts"><p class="meta">${facts} · <a href="${own}">Link to this row</a></p>
${asked(model, view)}
${answers.map(({ place, record }, i) => answered(model, { place, record, index: i, view }))}
${raw(model)}</div>`;
}

function asked({ row, asked: record, address }: RowModel, view: JsonView): Html {
  const message = record?.message;
  if (message === undefined) return missing(row.place.length, address(`rows/${row.n}/line`));
  switch (message.kind) {
    case "request":
    case "notification": {
      const { arguments: args, name: _name, _meta, ...rest } = message.params;
      const isCall = row.kind === "call";
      const more = isCall ? { ...rest, ...(_meta === undefined ? {} : { _meta }) } : {};
      return markup`<section><h2>${isCall ? "Arguments" : "Parameters"}</h2>${
        view.show(isCall ? args ?? {} : message.params)
      }${Object.keys(more).length > 0 ? view.show(more) : ""}</section>`;
    }
    case "response":
      return markup`<section><h2>Answer</h2>${
        view.show(message.error ?? message.result)
      }</section>`;
    case "spoken":
    case "noise":
      return markup`<section><h2>Text</h2>${view.text(message.text)}</section>`;
  }
}

interface Answered {
  readonly place: AnswerPlace;
  readonly record: MessageRecord | undefined;
  readonly index: number;
  readonly view: JsonView;
}

function answered(model: RowModel, { place, record, index, view }: Answered): Html {
  const { row, address } = model;
  const title = place.from === "proxy"
    ? index === 0 ? "The proxy's answer" : "What the agent got"
    : index === 0
    ? "Result"
    : place.from === "server"
    ? "Answered again"
    : "Answer";
  const message = record?.message;
  if (message === undefined) {
    return missing(place.length, address(`rows/${row.n}/answers/${index}`));
  }
  const isError = message.kind === "response" && message.error !== undefined;
  return markup`<section><h2>${title} <small>after ${
    durationText(Math.max(0, place.tMs - row.tMs))
  }${isError ? ", an error" : ""}</small></h2>${
    contentParts(message).map((part, item) => partView(part, view, model.image(index, item)))
  }</section>`;
}

function partView(part: ContentPart, view: JsonView, image: string): Html {
  switch (part.kind) {
    case "text": {
      const value = jsonBehind(part.text);
      return value === undefined ? view.text(part.text) : view.show(value);
    }
    case "image":
      return markup`<figure><img src="${image}" alt="The picture in the result" loading="lazy"><figcaption>${part.type}, ${
        sizeText(part.bytes)
      }</figcaption></figure>`;
    case "value":
      return markup`<h3>${part.title}</h3>${view.show(part.value)}`;
  }
}

function raw(model: RowModel): Html {
  const { row, asked: record, answers, address, isRaw, isLive } = model;
  const own = address(`rows/${row.n}`);
  if (!isLive) return NOTHING;
  if (!isRaw) return markup`<p><a href="${own}?raw=1" data-raw>Raw lines</a></p>`;
  const lines = [record, ...answers.map((answer) => answer.record)];
  return markup`<section><h2>Raw lines</h2>${
    lines.map((line, i) => {
      if (line === undefined) return NOTHING;
      const file = i === 0 ? `${own}/line` : `${own}/answers/${i - 1}`;
      return markup`<pre class="raw" tabindex="0"
          aria-label="Raw line ${i + 1}">${
        line.text.slice(
          0,
          RAW_CHARS,
        )
      }</pre>${
        line.text.length > RAW_CHARS
          ? markup`<p class="cut">The first ${RAW_CHARS.toLocaleString("en")} of ${
            line.text.length.toLocaleString("en")
          } characters.</p>`
          : ""
      }${isLive ? markup`<p><a href="${file}" download>Save this line</a></p>` : ""}`;
    })
  }</section>`;
}

function missing(bytes: number, file: string): Html {
  return bytes > MAX_SHOWN_LINE
    ? markup`<p
        class="cut">A line of ${
      sizeText(
        bytes,
      )
    } is too long to show. <a href="${file}" download>Save it</a></p>`
    : markup`<p class="cut">The log no longer has this line: it was changed or replaced.</p>`;
}
