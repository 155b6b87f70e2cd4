/**
 * What a browser sees that is not signed in, and what every page says that is not there.
 *
 * @module
 */

import { type Html, markup, NOTHING } from "./html.ts";

/**
 * Prints the form that takes a token.
 *
 * @param next Path to open afterwards.
 * @param wasWrong Whether a token was given that is not the one of now.
 * @returns The content of the page.
 */
export function signInPage(next: string, wasWrong: boolean): Html {
  return markup`<div class="signin card"><h1>This console is somebody's</h1>
${
    wasWrong
      ? markup`<p role="alert"><b>This token was used already, or another console printed it.</b></p>`
      : NOTHING
  }
<p>The terminal that runs <code>hoist console</code> shows a link with a token. Each token opens the console in one browser; the next one is shown there when it was used.</p>
<form action="/sign-in" method="post"><input type="hidden" name="next" value="${next}"><label>Token or link from the terminal<input name="token" type="password" autocomplete="off" required></label><button>Open</button></form>
<p>Signed in already, and came from another program? <a href="${next}">Open the page again.</a></p></div>`;
}

/** Prints what is seen for a moment after a sign-in. */
export function enteredPage(next: string): Html {
  return markup`<h1>Opening</h1><p><a href="${next}">Open the page</a></p>`;
}

/** Prints what stands in place of a page that is not there. */
export function missingPage(what: string): Html {
  return markup`<h1>Not here</h1>
    <p>${what}</p>
    <p><a href="/">All sessions</a></p>`;
}
