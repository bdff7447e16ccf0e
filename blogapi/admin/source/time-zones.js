/** The fields for a time zone; the names of the time zones are loaded when a field is used. */

/** @type {Promise<string[]> | null} */
let loading = null;

async function loadNames() {
  const response = await fetch(`${document.documentElement.dataset.assets}/time-zones.txt`);
  if (!response.ok) throw new Error(response.statusText);
  return (await response.text()).split("\n");
}

/** Show this time zone, and offer the others when the field is opened. @param {HTMLSelectElement} field */
export function offerTimeZones(field, name = "UTC") {
  const showNames = (/** @type {string[]} */ names) => {
    const chosen = field.value;
    field.replaceChildren(...[...new Set([...names, chosen])].map((zone) => new Option(zone, zone)));
    field.value = chosen;
  };
  if (![...field.options].some(({ value }) => value === name)) field.add(new Option(name, name));
  field.value = name;
  field.onpointerenter = field.onfocus = async () => {
    loading ??= loadNames();
    await loading.then(showNames, () => (loading = null));
  };
}
