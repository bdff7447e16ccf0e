/** The custom fields of the blog: their valid values, and the request body with their values. */

/** The fields of the edited kind, articles or pages, that the user may read. @type {CustomField[]} */
export let CUSTOM_FIELDS = [];

/** @param {any[]} fields the fields as the API lists them @param {"article" | "page"} kind */
export function setCustomFields(fields, kind) {
  CUSTOM_FIELDS = fields.filter(({ kinds }) => kinds.includes(kind));
}

/** @type {Record<string, (value: any, field: CustomField) => boolean>} */
const VALUE_CHECKS = {
  number: (value, { minimum, maximum }) =>
    typeof value === "number" && value >= (minimum ?? value) && value <= (maximum ?? value),
  boolean: (value) => typeof value === "boolean",
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value),
  url: (value) => typeof value === "string" && /^(https?:\/\/[^\s/@]+(\/\S*)?|\/[^/\s]\S*)$/.test(value),
  choice: (value, { choices }) => choices.includes(value),
};

/**
 * Return whether a value is valid for a field; a missing value is valid.
 * @param {CustomField} field @param {any} value
 */
function isValid(field, value) {
  if (value === undefined || value === null) return true;
  const check = VALUE_CHECKS[field.type] ?? ((text) => typeof text === "string" && text.trim() !== "");
  return field.list ? Array.isArray(value) && value.every((item) => check(item, field)) : check(value, field);
}

/**
 * Return the required fields without a valid value; the server does not publish an item that lacks them.
 * @param {Json} custom
 */
export const findMissingFields = (custom) =>
  CUSTOM_FIELDS.filter(
    (field) => field.required && (custom[field.name] == null || !isValid(field, custom[field.name])),
  );

/** Return what is wrong with a value, or "". @param {CustomField} field @param {any} value */
export function describeFault(field, value) {
  if (isValid(field, value)) return "";
  const { type, minimum, maximum } = field;
  /** @type {Record<string, string>} */
  const words = { number: "a number", date: "a date", url: "an address", choice: "one of the choices" };
  const limits = [minimum !== null && `from ${minimum}`, maximum !== null && `to ${maximum}`].filter(Boolean).join(" ");
  const wanted = `${words[type] ?? "a valid value"}${type === "number" && limits ? ` ${limits}` : ""}`;
  return `“${value}” is not ${wanted}. It is kept here; readers get no value until you change it.`;
}

/**
 * Return the values for the server: the valid values, and null for each removed value.
 * @param {Json} custom @returns {Json}
 */
export const toCustomBody = (custom) =>
  Object.fromEntries(
    CUSTOM_FIELDS.filter((field) => isValid(field, custom[field.name])).map(({ name }) => [name, custom[name] ?? null]),
  );

/**
 * Return the labels of the custom fields by `custom.NAME`, as diffFields() names them.
 * @returns {Record<string, string>}
 */
export const listCustomLabels = () =>
  Object.fromEntries(CUSTOM_FIELDS.map(({ name, label }) => [`custom.${name}`, label]));
