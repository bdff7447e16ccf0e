/** The tabs of the pages of keys. */

import { tabs } from "../components.js";

const ITEMS = [
  { key: "keys", text: "Keys", href: "/admin/keys/" },
  { key: "connect", text: "Connect", href: "/admin/keys/connect/" },
];

/** @param {"keys" | "connect"} current */
export const renderKeyTabs = (current) => tabs(ITEMS, current);
