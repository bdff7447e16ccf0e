/**
 * The select fields for a time zone. The names of the time zones are loaded when a field is used for the first time.
 */

/** @type {Promise<string[]> | null} */
let loadingNames = null;

async function loadZoneNames() {
  const response = await fetch(`${document.documentElement.dataset.assets}/time-zones.txt`);
  if (!response.ok) throw new Error(response.statusText);
  return (await response.text()).split("\n");
}

/**
 * Choose a time zone in the field, and offer all others when the user opens the field.
 * @param {HTMLSelectElement} field
 */
export function offerTimeZones(field, name = "UTC") {
  const showNames = (/** @type {string[]} */ names) => {
    const chosen = field.value;
    field.replaceChildren(...[...new Set([...names, chosen])].map((zone) => new Option(zone, zone)));
    field.value = chosen;
  };
  if (![...field.options].some(({ value }) => value === name)) field.add(new Option(name, name));
  field.value = name;
  field.onpointerenter = field.onfocus = async () => {
    loadingNames ??= loadZoneNames();
    await loadingNames.then(showNames, () => (loadingNames = null));
  };
}
