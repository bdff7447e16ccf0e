/** The files of the library that texts name by their uuid, as `media:UUID`. */

import { makeFileAddress, get } from "../api.js";

/**
 * @typedef {{source?: string, width?: number | null, height?: number | null, alt?: string, decorative?: boolean,
 *   isMissing?: boolean}} PictureFile
 */
/** The files by uuid; null while the file is loaded. @type {Map<string, PictureFile | null>} */
const pictureFiles = new Map();

/**
 * Return the file of a picture, or null while the file is loaded; redraw() is called when it is loaded.
 * @param {string} address @param {() => void} redraw @returns {PictureFile | null}
 */
export function getMediaFile(address, redraw) {
  if (!address.startsWith("media:")) return { source: makeFileAddress(address) };
  const uuid = address.slice("media:".length);
  if (!pictureFiles.has(uuid)) {
    pictureFiles.set(uuid, null);
    const query = { fields: "uuid,url,alt,decorative,width,height,renditions" };
    const toPictureFile = (/** @type {{data: Media}} */ { data }) => {
      const { width, height, alt, decorative, url, renditions } = data;
      return { source: makeFileAddress(renditions[1]?.url ?? url), width, height, alt, decorative };
    };
    const forgetFile = () => setTimeout(() => pictureFiles.delete(uuid), 10_000);
    get(`blog/media/${uuid}/`, { query })
      .then(toPictureFile, ({ status }) => (status === 404 ? { isMissing: true } : (forgetFile(), null)))
      .then((file) => (pictureFiles.set(uuid, file), redraw()));
  }
  return pictureFiles.get(uuid) ?? null;
}

/**
 * Return whether the library has an alternative text for a picture, or says that the picture is decorative; false if
 * the file was not loaded.
 * @param {string} address
 */
export const isDescribedInLibrary = (address) => hasAltText(pictureFiles.get(address.slice("media:".length)));

/** @param {PictureFile | null} [file] */
export const hasAltText = (file) => Boolean(file?.alt || file?.decorative);
