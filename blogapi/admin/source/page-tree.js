/** The tree of the pages of the blog. */

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
 * Return the changes that put a page at an index among the pages below a parent (null: at the top): its own, and those
 * of the pages that make room.
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
