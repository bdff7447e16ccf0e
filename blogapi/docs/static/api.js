// Shows the API reference with Scalar, and keeps the API key in the session storage of the tab.

const KEY_STORAGE_NAME = "blogapi-key";
const FIRST_TAGS = ["articles", "categories", "tags"];

// The languages that have no samples, and the libraries of other languages that have no samples.
const HIDDEN_LANGUAGES =
  "c clojure csharp dart fsharp go http java julia kotlin node objc ocaml php powershell r ruby rust swift";
const HIDDEN_CLIENTS = {
  shell: ["httpie", "wget"],
  js: ["axios", "jquery", "ofetch", "xhr"],
  python: ["aiohttp", "httpx_async", "httpx_sync", "python3"],
};

const keyInput = document.getElementById("key");
const keyMessage = document.getElementById("key-message");
keyInput.value = sessionStorage.getItem(KEY_STORAGE_NAME) ?? "";

const reference = Scalar.createApiReference("#reference", await makeConfiguration());

document.getElementById("get-key").addEventListener("click", createKey);
keyInput.addEventListener("change", () => useKey(keyInput.value.trim()));

async function makeConfiguration() {
  const response = await fetch("/openapi.json");
  return {
    content: adaptDocument(await response.json()),
    authentication: makeAuthentication(keyInput.value),
    tagsSorter: (first, second) => rankTag(first) - rankTag(second),
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    hiddenClients: {
      ...Object.fromEntries(HIDDEN_LANGUAGES.split(" ").map((language) => [language, true])),
      ...HIDDEN_CLIENTS,
    },
    documentDownloadType: "direct",
    orderSchemaPropertiesBy: "preserve",
    hideModels: true,
    defaultOpenAllTags: true,
    // The page follows the color scheme of the browser, as all pages do.
    hideDarkModeToggle: true,
    // Without these options, the page would send requests to other servers.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: "never",
    // Scalar would keep the key in the local storage, which all tabs share and which never expires.
    persistAuth: false,
  };
}

// Creates a key that can read published content, as `POST /api/v1/auth/api-key/` documents it.
async function createKey() {
  const response = await fetch("/api/v1/auth/api-key/", { method: "POST" });
  const body = await response.json();
  keyMessage.textContent = response.ok ? "The key is kept until you close this tab." : body.detail;
  if (response.ok) useKey(body.public_state);
}

function useKey(key) {
  sessionStorage.setItem(KEY_STORAGE_NAME, key);
  keyInput.value = key;
  reference.updateConfiguration({ ...reference.getConfiguration(), authentication: makeAuthentication(key) });
}

function makeAuthentication(key) {
  return { preferredSecurityScheme: "key", securitySchemes: { key: { value: key } } };
}

function rankTag(tag) {
  const position = FIRST_TAGS.indexOf(tag.name);
  return position < 0 ? FIRST_TAGS.length : position;
}

function adaptDocument(openapi) {
  for (const tag of openapi.tags) {
    tag["x-displayName"] = makeTagTitle(tag.name);
    if (tag.description === tag["x-displayName"]) delete tag.description;
  }
  for (const path of Object.values(openapi.paths)) {
    for (const operation of Object.values(path)) {
      // Scalar shows summaries as plain text.
      if (operation.summary) operation.summary = operation.summary.replaceAll("`", "").replace(/\.$/, "");
      for (const parameter of operation.parameters ?? []) moveValuesToDescription(parameter);
    }
  }
  // Several operations share these parameters.
  for (const parameter of Object.values(openapi.components.parameters)) moveValuesToDescription(parameter);
  return openapi;
}

// Move the examples and values of an optional parameter to its description, because Scalar would fill the first of them
// into its form, and send it.
function moveValuesToDescription(parameter) {
  const { schema } = parameter;
  if (parameter.required || !schema) return;
  const formatValues = (values) =>
    [values]
      .flat()
      .map((value) => `\`${value}\``)
      .join(", ");
  const sentences = [parameter.description];
  if (schema.enum) sentences.push(`One of ${formatValues(schema.enum)}.`);
  if (schema.example !== undefined) sentences.push(`Example: ${formatValues(schema.example)}`);
  parameter.description = sentences.filter(Boolean).join(" ");
  delete schema.enum;
  delete schema.example;
}

function makeTagTitle(name) {
  const words = name.replaceAll("_", " ").replace(/api\b/, "API");
  return words[0].toUpperCase() + words.slice(1);
}
