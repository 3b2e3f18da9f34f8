// Two items: same kind, different, or not sure.
import { el } from './dom.js';
import { itemView, zoom } from './items.js';

export const CHOICES = [
  { value: '1', text: 'Same', keys: ['1', 'ArrowLeft'], hint: '1 or ←' },
  { value: '0', text: 'Different', keys: ['2', 'ArrowRight'], hint: '2 or →' },
  { value: '?', text: 'Not sure', keys: ['3', 'ArrowDown'], hint: '3 or ↓' },
];

function side(project, item, label) {
  return el('button', {
    type: 'button', class: 'item large', title: 'Look closer',
    onclick: () => zoom(project, item, label),
  }, itemView(project, item, label));
}

// Returns an element and what to do with a key. `before` is the answer that is being thought over.
export function pairsTask(project, task, before, done) {
  const started = performance.now();
  let answered = false;
  const finish = (value) => {
    if (answered) return;
    answered = true;
    done({ value, took: Math.round(performance.now() - started) });
  };
  const buttons = CHOICES.map((choice) => el('button', {
    type: 'button',
    class: 'choice' + (before && before.value === choice.value ? ' before' : ''),
    data: { value: choice.value },
    onclick: () => finish(choice.value),
  }, el('span', null, choice.text), el('kbd', { 'aria-hidden': 'true' }, choice.hint)));
  return {
    element: el('section', { class: 'pairs ' + project.items, 'aria-label': 'Task' },
      el('h1', { class: 'question' }, 'Are these two of the same kind?'),
      el('div', { class: 'two' }, side(project, task.items[0], 'first item'), side(project, task.items[1], 'second item')),
      el('div', { class: 'choices' }, buttons)),
    key(event) {
      const choice = CHOICES.find((one) => one.keys.includes(event.key));
      if (choice) finish(choice.value);
      return Boolean(choice);
    },
  };
}
