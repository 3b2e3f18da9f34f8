// Items to be sorted into piles: dragged, or tapped and then put (no drag needed), or by keys alone.
import { el } from './dom.js';
import { itemView, zoom } from './items.js';

const DRAG_PX = 8;

class Piles {
  constructor(project, task, before, done, say) {
    this.project = project;
    this.task = task;
    this.done = done;
    this.say = say;
    this.started = performance.now();
    this.answered = false;
    this.place = before ? [...before.place] : task.items.map(() => -1); // pile of each item; -1: the tray
    this.names = before ? [...before.names] : [];
    this.piles = before ? before.piles : 0;
    this.chosen = new Set();
    this.history = [];
    this.items = task.items.map((item, i) => this.makeItem(item, i));
    this.element = el('section', { class: 'piles ' + project.items, 'aria-label': 'Task' });
    this.draw();
  }

  // ---- items ------------------------------------------------------------------------------------

  makeItem(item, i) {
    const button = el('button', {
      type: 'button', class: 'item', 'aria-pressed': 'false', data: { i },
      onclick: () => { if (!this.dragged) this.choose(i); },
      ondblclick: () => zoom(this.project, item, 'item ' + (i + 1)),
      onpointerdown: (event) => this.press(event, i),
    }, itemView(this.project, item, 'item ' + (i + 1)));
    return button;
  }

  choose(i) {
    if (this.chosen.has(i)) this.chosen.delete(i);
    else this.chosen.add(i);
    this.items[i].setAttribute('aria-pressed', String(this.chosen.has(i)));
    this.element.classList.toggle('choosing', this.chosen.size > 0);
    const where = this.place[i] < 0 ? 'not sorted yet' : 'on ' + this.nameOf(this.place[i]);
    this.say(`item ${i + 1} ${this.chosen.has(i) ? 'taken' : 'put back'}, ${where}`);
  }

  nameOf(pile) {
    return this.names[pile] || 'pile ' + (pile + 1);
  }

  // ---- moving -----------------------------------------------------------------------------------

  remember() {
    this.history.push({ place: [...this.place], names: [...this.names], piles: this.piles });
    if (this.history.length > 200) this.history.shift();
  }

  // pile -1 is the tray, this.piles a new one
  move(list, pile) {
    if (!list.length || pile > this.piles || pile >= this.task.items.length) return;
    this.remember();
    if (pile === this.piles) this.piles++;
    for (const i of list) this.place[i] = pile;
    this.chosen.clear();
    this.draw();
    const focus = this.items.findIndex((_, i) => this.place[i] < 0);
    if (focus >= 0 && !list.includes(focus)) this.items[focus].focus({ preventScroll: true });
    this.say(`${list.length === 1 ? 'item ' + (list[0] + 1) : list.length + ' items'} ${pile < 0 ? 'not sorted' : 'on ' + this.nameOf(pile)}`);
  }

  undo() {
    const before = this.history.pop();
    if (!before) return;
    Object.assign(this, before);
    this.chosen.clear();
    this.draw();
    this.say('undone');
  }

  // What a key or a tap on a pile is about: the chosen items, else the one in focus.
  subject() {
    if (this.chosen.size) return [...this.chosen];
    const i = this.items.indexOf(document.activeElement);
    return i < 0 ? [] : [i];
  }

  // ---- dragging ---------------------------------------------------------------------------------

  press(event, i) {
    if (event.button !== 0) return;
    const start = { x: event.clientX, y: event.clientY };
    const list = this.chosen.has(i) ? [...this.chosen] : [i];
    let ghost = null;
    this.dragged = false;
    const move = (e) => {
      if (!ghost && Math.hypot(e.clientX - start.x, e.clientY - start.y) < DRAG_PX) return;
      if (!ghost) {
        this.dragged = true;
        ghost = this.items[i].cloneNode(true);
        ghost.classList.add('ghost');
        ghost.style.width = this.items[i].offsetWidth + 'px';
        if (list.length > 1) ghost.append(el('span', { class: 'badge' }, String(list.length)));
        document.body.append(ghost);
        for (const j of list) this.items[j].classList.add('away');
      }
      e.preventDefault();
      ghost.style.transform = `translate(${e.clientX}px, ${e.clientY}px) translate(-50%, -60%) rotate(2deg)`;
      this.mark(this.pileAt(e));
    };
    const end = (e) => {
      removeEventListener('pointermove', move);
      removeEventListener('pointerup', end);
      removeEventListener('pointercancel', end);
      this.mark(null);
      for (const j of list) this.items[j].classList.remove('away');
      if (!ghost) return;
      ghost.remove();
      const target = e.type === 'pointerup' ? this.pileAt(e) : null;
      if (target) this.move(list, Number(target.dataset.pile));
      setTimeout(() => { this.dragged = false; }, 0); // the click that follows is none
    };
    addEventListener('pointermove', move, { passive: false });
    addEventListener('pointerup', end);
    addEventListener('pointercancel', end);
  }

  pileAt(event) {
    const under = document.elementFromPoint(event.clientX, event.clientY);
    return under && this.element.contains(under) ? under.closest('[data-pile]') : null;
  }

  mark(target) {
    for (const pile of this.element.querySelectorAll('.target')) pile.classList.remove('target');
    if (target) target.classList.add('target');
  }

  // ---- drawing ----------------------------------------------------------------------------------

  pileView(pile) {
    const mine = this.items.filter((_, i) => this.place[i] === pile);
    const name = el('input', {
      class: 'name', 'aria-label': 'name of pile ' + (pile + 1), placeholder: 'Pile ' + (pile + 1), maxlength: '40',
      value: this.names[pile] || '',
      oninput: (event) => { this.names[pile] = event.target.value; },
    });
    return el('div', { class: 'pile', data: { pile }, onclick: (event) => this.tapped(event, pile) },
      el('div', { class: 'pile-head' }, name,
        el('button', { type: 'button', class: 'plain put', 'aria-label': 'Put here, on ' + this.nameOf(pile) }, 'Put here')),
      el('div', { class: 'heap' }, mine));
  }

  // A tap on a pile puts what was chosen there; taps on its name or its items mean something else.
  tapped(event, pile) {
    if (event.target.closest('.item, .name')) return;
    const list = this.subject();
    if (list.length) this.move(list, pile);
  }

  draw() {
    for (const [i, item] of this.items.entries()) item.setAttribute('aria-pressed', String(this.chosen.has(i)));
    const tray = this.items.filter((_, i) => this.place[i] < 0);
    const left = tray.length;
    const done = el('button', { type: 'button', class: 'main-button', disabled: left === this.items.length, onclick: () => this.finish() }, 'Done');
    this.element.classList.toggle('choosing', this.chosen.size > 0);
    this.element.replaceChildren(
      el('h1', { class: 'question' }, left ? 'Which of these belong together?' : 'All sorted. Done?'),
      el('div', { class: 'tray', data: { pile: -1 }, onclick: (event) => this.tapped(event, -1) },
        tray.length ? tray : el('p', { class: 'quiet' }, 'Nothing left to sort.')),
      el('div', { class: 'board' },
        Array.from({ length: this.piles }, (_, pile) => this.pileView(pile)),
        this.piles < this.items.length && el('button', {
          type: 'button', class: 'pile new', data: { pile: this.piles },
          onclick: () => {
            const list = this.subject();
            if (list.length) this.move(list, this.piles);
            else this.say('take an item first');
          },
        }, el('span', { class: 'plus', 'aria-hidden': 'true' }, '+'), 'New pile')),
      el('div', { class: 'tools' },
        el('button', { type: 'button', class: 'plain', disabled: !this.history.length, onclick: () => this.undo() }, 'Undo'),
        el('button', { type: 'button', class: 'plain', onclick: () => this.zoomChosen() }, 'Look closer'),
        el('span', { class: 'quiet grow' }, left ? `${left} of ${this.items.length} left; what stays up there counts as “not sure”` : ''),
        done),
      el('p', { class: 'quiet keys' }, 'Drag, or tap an item and then a pile. Keys: ',
        el('kbd', null, 'Enter'), ' takes an item, ', el('kbd', null, '1'), '–', el('kbd', null, '9'), ' puts it on a pile, ',
        el('kbd', null, 'N'), ' on a new one, ', el('kbd', null, '0'), ' back, ', el('kbd', null, 'U'), ' undoes, ',
        el('kbd', null, 'Z'), ' looks closer.'));
  }

  zoomChosen() {
    const [i] = this.subject().length ? this.subject() : [0];
    zoom(this.project, this.task.items[i], 'item ' + (i + 1));
  }

  key(event) {
    if (event.target.closest('input')) return false;
    const key = event.key.toLowerCase();
    if (/^[1-9]$/.test(key)) this.move(this.subject(), Math.min(Number(key) - 1, this.piles));
    else if (key === 'n') this.move(this.subject(), this.piles);
    else if (key === '0') this.move(this.subject(), -1);
    else if (key === 'u') this.undo();
    else if (key === 'z') this.zoomChosen();
    else return false;
    return true;
  }

  finish() {
    if (this.answered) return;
    this.answered = true;
    // Piles that were emptied again have no number.
    const numbers = new Map();
    const names = [];
    const value = this.place.map((pile) => {
      if (pile < 0) return '?';
      if (!numbers.has(pile)) {
        numbers.set(pile, numbers.size);
        names.push(this.names[pile] || '');
      }
      return numbers.get(pile);
    }).join(' ');
    this.done({
      value, took: Math.round(performance.now() - this.started), names: names.some(Boolean) ? names : undefined,
      again: { place: this.place, names: this.names, piles: this.piles },
    });
  }
}

export function pilesTask(project, task, before, done, say) {
  const piles = new Piles(project, task, before && before.again, done, say);
  return { element: piles.element, key: (event) => piles.key(event) };
}
