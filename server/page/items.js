// An item as people see it: a picture, a text, or its values as a profile; and a closer look at it.
import { el, svg } from './dom.js';

const SMALL = 96; // pictures of fewer pixels are shown with hard edges

export function address(project, item, large) {
  return project.itemBase + item + (large ? '/large' : '');
}

function profile(values) {
  const width = 240;
  const height = 140;
  const step = width / values.length;
  const scale = height / 2 / 3;
  const bars = values.map((value, i) => {
    const clipped = Math.max(-3, Math.min(3, value));
    return svg('rect', {
      x: (i * step + step * 0.1).toFixed(2), width: Math.max(step * 0.8, 0.6).toFixed(2),
      y: (height / 2 - Math.max(clipped, 0) * scale).toFixed(2),
      height: Math.max(Math.abs(clipped) * scale, 0.5).toFixed(2),
      class: value < 0 ? 'below' : 'above',
    });
  });
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'profile', role: 'img', 'aria-label': 'values of the item' },
    svg('line', { x1: 0, x2: width, y1: height / 2, y2: height / 2 }), bars);
}

// What is not a picture is fetched once and kept.
const fetched = new Map();
function body(project, item) {
  if (!fetched.has(item)) {
    if (fetched.size > 500) fetched.clear();
    fetched.set(item, fetch(address(project, item)).then((response) => {
      if (!response.ok) throw new Error('item ' + item);
      return response.json();
    }).catch((error) => {
      fetched.delete(item);
      throw error;
    }));
  }
  return fetched.get(item);
}

export function isPicture(project) {
  return project.items === 'picture' || project.items === 'file';
}

// `label` is what a screen reader says.
export function itemView(project, item, label, large) {
  if (isPicture(project)) {
    const small = project.width && Math.max(project.width, project.height) <= SMALL;
    const picture = el('img', { src: address(project, item, large), alt: label, draggable: false, class: small ? 'hard' : '' });
    if (project.width) {
      picture.width = project.width;
      picture.height = project.height;
    }
    picture.addEventListener('error', () => {
      // A broken connection: try again, a little later each time.
      const tries = Number(picture.dataset.tries || 0) + 1;
      picture.dataset.tries = tries;
      if (tries < 8) setTimeout(() => { picture.src = address(project, item, large) + '?again=' + tries; }, 700 * tries);
    });
    return picture;
  }
  const holder = el('div', { class: project.items === 'text' ? 'item-text' : 'item-profile' });
  const load = (tries) => body(project, item).then((data) => {
    holder.append(data.text !== undefined ? data.text : profile(data.values));
  }).catch(() => { if (tries < 8) setTimeout(() => load(tries + 1), 700 * (tries + 1)); });
  load(0);
  return holder;
}

export function preload(project, items) {
  for (const item of items) {
    if (isPicture(project)) new Image().src = address(project, item);
    else body(project, item).catch(() => {});
  }
}

export function zoom(project, item, label) {
  const dialog = el('dialog', { class: 'zoom', 'aria-label': label, onclick: () => dialog.close(), onclose: () => dialog.remove() },
    itemView(project, item, label, true), el('button', { type: 'button', class: 'plain' }, 'Close'));
  document.body.append(dialog);
  dialog.showModal();
}
