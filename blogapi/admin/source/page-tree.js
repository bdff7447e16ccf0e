/** The tree of the pages of the blog. */

import { field } from "./components.js";
import { getTitle } from "./pages/lists.js";

// The API accepts at most this number of pages above a page.
const MAX_ABOVE = 20;

/**
 * Return the pages with their depths, each after the page above it and in the order of the positions.
 * @param {Article[]} pages @param {string | null} [parent] @param {number} [depth] @returns {Article[]}
 */
export function toTree(pages, parent = null, depth = 0) {
  const known = new Set(pages.map(({ uuid }) => uuid));
  const isHere = (/** @type {Article} */ page) => (known.has(page.parent) ? page.parent : null) === parent;
  const here = pages.filter(isHere).sort((a, b) => a.position - b.position);
  return here.flatMap((page) => [{ ...page, depth }, ...toTree(pages, page.uuid, depth + 1)]);
}

/**
 * Return the pages that can be above a page, in the order of their tree.
 * @param {Article[]} pages @param {string} uuid of the page
 */
export function listParents(pages, uuid) {
  const tree = toTree(pages);
  const moved = new Set([uuid]);
  // Each page comes after the one above it.
  for (const page of tree) if (moved.has(page.parent)) moved.add(page.uuid);
  const depths = tree.filter((page) => moved.has(page.uuid)).map(({ depth }) => depth);
  const height = depths.length ? Math.max(...depths) - depths[0] : 0;
  return tree.filter((page) => !moved.has(page.uuid) && page.depth + 1 + height <= MAX_ABOVE);
}

/**
 * Return the index of a page among the pages below its parent; 0 for a new page.
 * @param {Article[]} pages in the order of their positions @param {string} uuid @param {string | null} parent
 */
export const findPlace = (pages, uuid, parent) =>
  Math.max(
    0,
    pages.filter((page) => page.parent === parent).findIndex((page) => page.uuid === uuid),
  );

/**
 * The field for the place of a page below a parent: first, or after another page. index: the shown place, the last one
 * if there are fewer. use(index): called when a place is chosen.
 * @param {Article[]} pages in the order of their positions @param {string} uuid @param {string | null} parent
 * @param {number} index @param {(index: number) => unknown} use @param {Record<string, unknown>} errors
 */
export function renderPlaceField(pages, uuid, parent, index, use, errors) {
  const others = pages.filter((page) => page.parent === parent && page.uuid !== uuid);
  const items = { ...["First", ...others.map((page) => `After “${getTitle(page)}”`)] };
  const value = String(Math.min(index, others.length));
  const onInput = (/** @type {string} */ chosen) => use(Number(chosen));
  return field({ name: "position", label: "Place", type: "select", items, value, onInput, errors });
}

/**
 * Return the changes that put a page at an index among the pages below a parent (null: at the top): the change
 * of the page itself, and those of the pages that make room.
 * @param {Article[]} pages in the order of their positions
 * @param {string} uuid @param {string | null} parent @param {number} index
 * @returns {{uuid: string, parent?: string | null, position: number}[]}
 */
export function placePage(pages, uuid, parent, index) {
  const others = pages.filter((page) => page.parent === parent && page.uuid !== uuid);
  let last = -1;
  return others.toSpliced(index, 0, /** @type {any} */ ({ uuid, position: 0 })).flatMap((page) => {
    last = Math.max(page.position, last + 1);
    if (page.uuid === uuid) return { uuid, parent, position: last };
    return page.position === last ? [] : { uuid: page.uuid, position: last };
  });
}
