/** The tabs of the pages Keys and Connect. */

import { tabs } from "../components.js";

const KEY_TABS = [
  { key: "keys", text: "Keys", href: "/admin/keys/" },
  { key: "connect", text: "Connect", href: "/admin/keys/connect/" },
];

/** @param {"keys" | "connect"} current */
export const renderKeyTabs = (current) => tabs(KEY_TABS, current);
