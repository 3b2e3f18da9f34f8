// Making elements, and talking with the server. Text from outside only ever becomes text nodes.

export function el(tag, properties, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties || {})) {
    if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
    else if (key === 'class') node.className = value;
    else if (key === 'data') Object.assign(node.dataset, value);
    else if (key in node && typeof value !== 'string') node[key] = value;
    else if (value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const SVG = 'http://www.w3.org/2000/svg';
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children.flat().filter(Boolean));
  return node;
}

export function show(node, ...children) {
  node.replaceChildren(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  node.hidden = false;
}

export class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
    // Worth another try: the network, a full disk, too many requests.
    this.passing = status === 0 || status === 429 || status >= 500;
  }
}

const PATIENCE_MS = 20000;

export async function ask(token, path, body, options) {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), PATIENCE_MS);
  let response;
  let answer;
  try {
    response = await fetch(path, {
      method: body ? 'POST' : 'GET',
      headers: { Authorization: 'Bearer ' + token, ...(body && { 'Content-Type': 'application/json' }) },
      body: body ? JSON.stringify(body) : undefined,
      cache: 'no-store',
      credentials: 'omit',
      signal: ending.signal,
      ...options,
    });
    answer = await response.json();
  } catch (error) {
    throw new Refused(response && !response.ok ? response.status : 0, 'no connection');
  } finally {
    clearTimeout(timer);
  }
  if (!response.ok) throw new Refused(response.status, answer.error || 'refused');
  return answer;
}

export function count(number, one, many) {
  return number.toLocaleString('en') + ' ' + (number === 1 ? one : many);
}

// 32 hexadecimal digits; randomUUID is missing where the page came by plain HTTP.
export function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
