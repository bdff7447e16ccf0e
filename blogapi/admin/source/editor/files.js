/** The files of the library to which texts refer with `media:`. */

import { makeFileAddress, get } from "../api.js";

/**
 * @typedef {{source?: string, width?: number | null, height?: number | null, alt?: string, decorative?: boolean,
 *   isMissing?: boolean}} PictureFile
 */
/** The files by uuid; null while one is loaded. @type {Map<string, PictureFile | null>} */
const files = new Map();

/**
 * Return the file of a picture, or null while it is loaded. redraw: called when the file is known.
 * @param {string} address @param {() => void} redraw @returns {PictureFile | null}
 */
export function findFile(address, redraw) {
  if (!address.startsWith("media:")) return { source: makeFileAddress(address) };
  const uuid = address.slice("media:".length);
  if (!files.has(uuid)) {
    files.set(uuid, null);
    const query = { fields: "uuid,url,alt,decorative,width,height,renditions" };
    const readFile = (/** @type {{data: Media}} */ { data }) => {
      const { width, height, alt, decorative, url, renditions } = data;
      return { source: makeFileAddress(renditions[1]?.url ?? url), width, height, alt, decorative };
    };
    const forgetFile = () => setTimeout(() => files.delete(uuid), 10_000);
    get(`blog/media/${uuid}/`, { query })
      .then(readFile, ({ status }) => (status === 404 ? { isMissing: true } : (forgetFile(), null)))
      .then((file) => (files.set(uuid, file), redraw()));
  }
  return files.get(uuid) ?? null;
}

/**
 * Return whether the library has an alternative text for a picture, or knows that it needs none; false if the picture
 * was not shown.
 * @param {string} address
 */
export const isDescribedInLibrary = (address) => hasText(files.get(address.slice("media:".length)));

/** @param {PictureFile | null} [file] */
export const hasText = (file) => Boolean(file?.alt || file?.decorative);
