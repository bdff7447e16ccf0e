/** The tree of the pages of the blog. */

import { field } from "./components.js";
import { getTitle } from "./pages/items.js";

// The API accepts at most this number of pages above a page.
const MAX_ANCESTORS = 20;

/**
 * Return the pages in the order of their tree: each page after its parent, siblings by position. Each has its depth.
 * @param {Article[]} pages @param {string | null} [parent] @param {number} [depth] @returns {Article[]}
 */
export function sortByTree(pages, parent = null, depth = 0) {
  const known = new Set(pages.map(({ uuid }) => uuid));
  const isHere = (/** @type {Article} */ page) => (known.has(page.parent) ? page.parent : null) === parent;
  const here = pages.filter(isHere).sort((a, b) => a.position - b.position);
  return here.flatMap((page) => [{ ...page, depth }, ...sortByTree(pages, page.uuid, depth + 1)]);
}

/**
 * Return the pages that can be the parent of a page, in the order of the tree.
 * @param {Article[]} pages @param {string} uuid of the page
 */
export function listNewParents(pages, uuid) {
  const tree = sortByTree(pages);
  const moved = new Set([uuid]);
  // In the tree, each page comes after its parent.
  for (const page of tree) if (moved.has(page.parent)) moved.add(page.uuid);
  const depths = tree.filter((page) => moved.has(page.uuid)).map(({ depth }) => depth);
  const height = depths.length ? Math.max(...depths) - depths[0] : 0;
  return tree.filter((page) => !moved.has(page.uuid) && page.depth + 1 + height <= MAX_ANCESTORS);
}

/**
 * Return the index of a page among its siblings, the children of its parent; 0 for a new page.
 * @param {Article[]} pages in the order of their positions @param {string} uuid @param {string | null} parent
 */
export const indexOfPage = (pages, uuid, parent) =>
  Math.max(
    0,
    pages.filter((page) => page.parent === parent).findIndex((page) => page.uuid === uuid),
  );

/**
 * Render the field for the position of a page among the children of a parent. index: the chosen position; an index
 * beyond the last position stands for the last one. use(index): called when the user chooses a position.
 * @param {Article[]} pages in the order of their positions @param {string} uuid @param {string | null} parent
 * @param {number} index @param {(index: number) => unknown} use @param {Record<string, unknown>} errors
 */
export function positionField(pages, uuid, parent, index, use, errors) {
  const others = pages.filter((page) => page.parent === parent && page.uuid !== uuid);
  const items = { ...["First", ...others.map((page) => `After “${getTitle(page)}”`)] };
  const value = String(Math.min(index, others.length));
  const onInput = (/** @type {string} */ chosen) => use(Number(chosen));
  return field({ name: "position", label: "Place", type: "select", items, value, onInput, errors });
}

/**
 * Return the changes that move a page to an index among the children of a parent (null: the top level): the change of
 * the page, and the changes of the positions of its siblings.
 * @param {Article[]} pages in the order of their positions
 * @param {string} uuid @param {string | null} parent @param {number} index
 * @returns {{uuid: string, parent?: string | null, position: number}[]}
 */
export function makeMoveChanges(pages, uuid, parent, index) {
  const others = pages.filter((page) => page.parent === parent && page.uuid !== uuid);
  let last = -1;
  return others.toSpliced(index, 0, /** @type {any} */ ({ uuid, position: 0 })).flatMap((page) => {
    last = Math.max(page.position, last + 1);
    if (page.uuid === uuid) return { uuid, parent, position: last };
    return page.position === last ? [] : { uuid: page.uuid, position: last };
  });
}
