/**
 * What customers of the made-up shop write: wordings of each kind of wish, and
 * the tickets that a person has to look at.
 *
 * @module
 */

import { Chance, PlainShop, type ShopTicket } from "./plain_shop.ts";

/** Wordings of the wishes that are plain. */
const PLAIN: Readonly<Record<string, readonly string[]>> = {
  cancel: [
    "Please cancel my order with the {thing}. {because}.",
    "I would like to cancel the order with the {thing}, {because}.",
    "Can you cancel the {thing} order? {because}.",
    "Hello, the order with the {thing} and the {other} can be cancelled, {because}.",
  ],
  "cancel all": [
    "Please cancel all my pending orders. {because}.",
    "Hello, I want to cancel every pending order that I have, {because}.",
    "Can you cancel all of my pending orders? {because}.",
  ],
  return: [
    "I want to return the {thing}.",
    "Please let me return the {thing} and the {other}.",
    "Hello, I would like to send back the {thing}.",
    "Can I return the {other} and the {thing}? I want my money back.",
  ],
  exchange: [
    "I would like to exchange the {thing} for a {new} one.",
    "Please exchange my {thing}: I want it in {new}.",
    "Hello, can I exchange the {thing} for the same one but {new}?",
  ],
  address: [
    "Please send the order with the {thing} to my home address, the one in my profile.",
    "Can you change the address of the {thing} order to the one in my profile?",
    "Hello, I would like the order with the {thing} to go to my home address.",
  ],
};

/** Wordings that need a person: questions, conditions, second wishes. */
const OPEN: readonly string[] = [
  "Where is my {thing}? It should be here by now.",
  "The {thing} is broken. What can you do for me?",
  "Please cancel the order with the {thing}, but only if it has not been sent. {because}.",
  "I want to return the {thing} if I get my money back in cash.",
  "Can I exchange the {thing} for a cheaper one? If not, I would like to keep it.",
  "Please cancel the order with the {thing} or change its address, whichever is faster.",
  "How much did I pay for the {thing} and the {other}?",
  "I would like to cancel just the {thing} and keep the {other}.",
];

/** Wordings that no session had, all of which need a person. */
const NEW_TROUBLE: readonly string[] = [
  "Please cancel the order with the {thing} unless it ships today. {because}.",
  "I want to return the {thing}, though my wife may want it. Wait for her answer.",
  "Please cancel my order with the {thing}. {because}. Actually, forget that, leave it.",
  "I would like to exchange the {thing} for a {new} one, provided it costs the same.",
  "Please cancel all my pending orders except the one with the {thing}. {because}.",
  "I want to return the {thing}. And pay it out to my brother's account.",
  "Please send the order with the {thing} to my home address from next month on.",
  "Do not cancel my order with the {thing}. I changed my mind about that.",
];

/** Other wishes in words that the sessions' tickets have, all of which need a person. */
const NEW_WISH: readonly string[] = [
  "I want to return the {thing} if I can exchange the {other}.",
  "Please cancel the order with the {thing} and send the {other} to my home address. {because}.",
  "I would like to keep the {thing}. Can you cancel the other order? {because}.",
  "How can I return the {thing}?",
  "Can you cancel all of my pending orders but the one with the {thing}? {because}.",
  "I ordered the {thing} by mistake. What can you do for me?",
  "Please cancel the {thing} and keep the {other}. {because}.",
  "Can I return the {thing} or change it?",
];

/** Tickets in a row, so many customers apart that no two of them share one. */
export interface PlainTickets {
  readonly shop: PlainShop;
  /** What sessions were recorded of. */
  readonly train: readonly ShopTicket[];
  /** Others of the same kinds and wordings. */
  readonly test: readonly ShopTicket[];
  /** Wordings that no session had, with words that none had. */
  readonly unseen: readonly ShopTicket[];
  /** Wordings that no session had, of words that sessions had. */
  readonly twisted: readonly ShopTicket[];
}

/**
 * Writes the tickets.
 *
 * @param counts How many of each.
 * @returns Tickets of different customers.
 */
export function plainTickets(
  { train, test, unseen, twisted }: Readonly<
    Record<"train" | "test" | "unseen" | "twisted", number>
  >,
): PlainTickets {
  const shop = new PlainShop(train + test + unseen + twisted);
  const kinds = [...Object.keys(PLAIN), "open", "open"];
  const known = (n: number, chance: Chance): ShopTicket => {
    const kind = chance.of(kinds);
    return shop.ticket(n, kind, PLAIN[kind] ?? OPEN, chance);
  };
  let n = 0;
  const tickets = (count: number, write: (n: number, chance: Chance) => ShopTicket) =>
    Array.from({ length: count }, () => write(n, new Chance(7_001 + n++ * 31)));
  return {
    shop,
    train: tickets(train, known),
    test: tickets(test, known),
    unseen: tickets(unseen, (n, chance) => shop.ticket(n, "new words", NEW_TROUBLE, chance)),
    twisted: tickets(twisted, (n, chance) => shop.ticket(n, "known words", NEW_WISH, chance)),
  };
}
