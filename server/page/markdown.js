// The owner's instructions: headings, lists, paragraphs, bold, italic, code and links. Elements are
// made one by one, so nothing in the text can become markup of its own.
import { el } from './dom.js';

const INLINE = /\*\*([^*]+)\*\*|\*([^*]+)\*|_([^_]+)_|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s)]+)\)/g;

function inline(text) {
  const parts = [];
  let at = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push(text.slice(at, match.index));
    const [, bold, star, under, code, label, address] = match;
    if (bold) parts.push(el('strong', null, bold));
    else if (star || under) parts.push(el('em', null, star || under));
    else if (code) parts.push(el('code', null, code));
    else parts.push(el('a', { href: address, rel: 'noopener noreferrer', target: '_blank' }, label));
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return parts.filter((part) => part !== '');
}

function block(lines) {
  const heading = /^(#{1,3})\s+(.*)$/.exec(lines[0]);
  if (heading) return [el('h' + (heading[1].length + 1), null, ...inline(heading[2])), ...blocks(lines.slice(1))];
  if (lines.every((line) => /^\s*[-*]\s+/.test(line))) {
    return [el('ul', null, lines.map((line) => el('li', null, ...inline(line.replace(/^\s*[-*]\s+/, '')))))];
  }
  if (lines.every((line) => /^\s*\d+[.)]\s+/.test(line))) {
    return [el('ol', null, lines.map((line) => el('li', null, ...inline(line.replace(/^\s*\d+[.)]\s+/, '')))))];
  }
  return [el('p', null, ...inline(lines.join(' ')))];
}

function blocks(lines) {
  const out = [];
  let part = [];
  for (const line of [...lines, '']) {
    if (line.trim()) {
      part.push(line);
    } else if (part.length) {
      out.push(...block(part));
      part = [];
    }
  }
  return out;
}

export function markdown(text) {
  return blocks(text.replace(/\r\n?/g, '\n').split('\n'));
}
