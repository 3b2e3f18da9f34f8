// The worker's page: joining, instructions, one task after another, a pause and a way back.
import { el, show, ask, count } from './dom.js';
import { itemView, preload } from './items.js';
import { markdown } from './markdown.js';
import { Outbox, keep } from './outbox.js';
import { pairsTask } from './pairs.js';
import { pilesTask } from './piles.js';

const AHEAD = 4; // tasks fetched before they are needed
const top = document.getElementById('top');
const main = document.getElementById('main');
const banner = document.getElementById('banner');
const said = document.getElementById('said');

const query = new URLSearchParams(location.search);
const turk = location.pathname === '/mturk' ? {
  assignment: query.get('assignmentId') || '',
  worker: query.get('workerId') || '',
  submit: query.get('turkSubmitTo') || '',
} : null;

const state = {
  token: null, project: null, me: null, outbox: null,
  ready: [], // tasks to show
  past: [], // answered ones, for undo
  current: null, // { task, view }
  end: '', completion: '', fetching: false, paused: false, answers: 0,
};

function say(text) {
  said.textContent = text;
}

// ---- who is here ----------------------------------------------------------------------------------

function linkParts() {
  const hash = location.hash.slice(1);
  if (hash.startsWith('join=')) return { join: hash.slice(5) };
  if (/^[0-9a-f]{32}$/.test(hash)) return { token: hash };
  return { join: query.get('j') };
}

async function enter() {
  const { token, join } = linkParts();
  if (token) return start(token);
  if (!join) return message('This page needs a link', 'Please use the link that was sent to you.');
  const project = await ask(join, '/api/project');
  document.title = project.title;
  const guest = query.get('PROLIFIC_PID');
  if (turk && turk.assignment === 'ASSIGNMENT_ID_NOT_AVAILABLE') return preview(project);
  const known = keep.getItem('scdc/join/' + join + '/' + (guest || (turk && turk.worker) || ''));
  if (known) return start(known);
  if (guest) return joinAs(join, { prolific: guest }, guest);
  if (turk && turk.worker) return joinAs(join, { mturk: turk.worker }, turk.worker);
  return welcome(project, join);
}

async function joinAs(join, who, key) {
  const { token } = await ask(join, '/api/join', who);
  keep.setItem('scdc/join/' + join + '/' + key, token);
  return start(token);
}

function preview(project) {
  show(main, el('h1', null, project.title), markdown(project.instructions), examples(project),
    el('p', { class: 'note' }, 'Accept the HIT to begin.'));
}

function welcome(project, join) {
  const name = el('input', { id: 'name', maxlength: '60', autocomplete: 'nickname', required: true });
  const form = el('form', {
    class: 'card',
    onsubmit: (event) => {
      event.preventDefault();
      joinAs(join, { name: name.value }, '').catch(failed);
    },
  },
  el('label', { for: 'name' }, 'What may we call you?'), name,
  el('p', { class: 'quiet' }, 'Only the person who asks for the answers sees this name.'),
  el('button', { class: 'main-button' }, 'Begin'));
  show(main, el('h1', null, project.title), form);
  name.focus();
}

async function start(token) {
  const { project, me } = await ask(token, '/api/me');
  Object.assign(state, { token, project, me, answers: me.answers, completion: project.completion });
  document.title = project.title;
  // The way back: a bookmark of this address is enough.
  if (!turk && !query.get('PROLIFIC_PID')) history.replaceState(null, '', '/#' + token);
  state.outbox = new Outbox(project.id, token, tell);
  state.outbox.flush();
  if (me.answers === 0) instructions('Begin');
  else go();
}

// ---- screens --------------------------------------------------------------------------------------

function message(title, ...text) {
  top.hidden = true;
  show(main, el('h1', null, title), text.map((part) => (typeof part === 'string' ? el('p', null, part) : part)));
}

function examples(project) {
  if (!project.examples.length) return null;
  return el('section', { 'aria-label': 'Examples', class: 'examples' }, el('h2', null, 'Examples'),
    project.examples.map((one) => el('figure', { class: 'example ' + project.items },
      itemView(project, one.left, 'one item'), itemView(project, one.right, 'another item'),
      el('figcaption', { class: one.same ? 'same' : 'different' }, one.same ? 'same' : 'different'))));
}

function instructions(label) {
  state.current = null;
  drawTop();
  show(main, el('h1', null, state.project.title),
    el('div', { class: 'card text' }, markdown(state.project.instructions), examples(state.project)),
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'main-button', onclick: go }, label)));
  main.querySelector('.main-button').focus();
}

function pause() {
  state.paused = true;
  state.current = null;
  state.ready = [];
  ask(state.token, '/api/pause', {}).catch(() => {});
  drawTop();
  show(main, el('h1', null, 'Paused'),
    el('p', null, 'Thank you so far. Everything you answered is kept. Come back whenever you like: by this page, or by your personal link, also on another device.'),
    el('p', null, el('a', { href: '/#' + state.token }, 'Your personal link'), ' (do not pass it on)'),
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'main-button', onclick: go }, 'Go on')));
  main.querySelector('.main-button').focus();
}

function finished() {
  state.current = null;
  drawTop();
  const waiting = state.outbox.waiting().length;
  const parts = [];
  if (waiting) parts.push(el('p', { class: 'note' }, `Please leave this page open: ${count(waiting, 'answer is', 'answers are')} still being sent.`));
  if (state.end === 'blocked') parts.push(el('p', null, 'There are no more tasks for you here.'));
  else if (state.end === 'exhausted') parts.push(el('p', null, 'Every question has been asked. There is nothing left to do.'));
  else parts.push(el('p', null, 'You have done all that was asked of you.'));
  if (!waiting && turk && turk.submit && state.end !== 'blocked') parts.push(turkForm());
  else if (!waiting && state.completion) parts.push(completion());
  show(main, el('h1', null, 'Thank you!'), parts);
}

function completion() {
  const isAddress = /^https:\/\//.test(state.completion);
  const address = isAddress ? state.completion
    : 'https://app.prolific.com/submissions/complete?cc=' + encodeURIComponent(state.completion);
  if (isAddress || query.get('PROLIFIC_PID')) {
    return el('p', null, el('a', { class: 'main-button', href: address, rel: 'noreferrer' }, 'Finish'),
      isAddress ? null : el('span', { class: 'quiet' }, ' Completion code: ' + state.completion));
  }
  return el('p', null, 'Completion code: ', el('strong', null, state.completion));
}

const TURK_HOSTS = ['https://www.mturk.com', 'https://workersandbox.mturk.com', 'https://worker.mturk.com'];
function turkForm() {
  let origin = '';
  try { origin = new URL(turk.submit).origin; } catch (error) { /* not an address */ }
  if (!TURK_HOSTS.includes(origin)) return el('p', { class: 'note' }, 'The address to hand in this work is not one of MTurk.');
  return el('form', { method: 'post', action: origin + '/mturk/externalSubmit' },
    el('input', { type: 'hidden', name: 'assignmentId', value: turk.assignment }),
    el('input', { type: 'hidden', name: 'answers', value: String(state.answers) }),
    el('button', { class: 'main-button' }, 'Hand in'));
}

// ---- top and banner -------------------------------------------------------------------------------

function drawTop() {
  const { project, outbox } = state;
  const given = state.answers + outbox.waiting().filter((answer) => !answer.again).length;
  const progress = project.quota
    ? [el('progress', { max: project.quota, value: Math.min(given, project.quota), 'aria-label': 'progress' }),
      el('span', null, `${Math.min(given, project.quota)} of ${project.quota}`)]
    : [el('span', null, count(given, 'answer', 'answers'))];
  show(top, el('span', { class: 'brand' }, project.title), el('span', { class: 'progress' }, progress),
    el('nav', { 'aria-label': 'Page' },
      el('button', { type: 'button', class: 'plain', disabled: !state.past.length || !state.current, onclick: undo }, 'Undo'),
      el('button', { type: 'button', class: 'plain', onclick: () => instructions('Back') }, 'Help'),
      el('button', { type: 'button', class: 'plain', disabled: state.paused, onclick: pause }, 'Pause')));
}

function tell() {
  const { outbox } = state;
  const waiting = outbox.waiting().length;
  state.answers = Math.max(state.answers, outbox.answers);
  if (outbox.trouble && waiting) {
    const why = outbox.trouble.status === 503 ? 'The server cannot save just now.'
      : outbox.trouble.passing ? 'No connection.' : 'The server refuses: ' + outbox.trouble.message + '.';
    const safe = keep.memory ? 'Please keep this page open' : 'They are kept on this device';
    show(banner, `${why} ${count(waiting, 'answer waits', 'answers wait')}. ${safe} and will be sent by itself.`);
  } else {
    banner.hidden = true;
  }
  if (state.project && !top.hidden) drawTop();
  if (!state.current && state.end && state.end !== 'wait' && !state.paused) finished();
}

// ---- tasks ----------------------------------------------------------------------------------------

function go() {
  state.paused = false;
  state.end = '';
  next();
}

async function fetchTasks() {
  if (state.fetching || state.paused) return;
  state.fetching = true;
  const shown = state.current ? [state.current.task] : [];
  const have = [...shown, ...state.ready, ...state.outbox.waiting()].map((task) => task.task);
  try {
    const answer = await ask(state.token, '/api/tasks', { want: AHEAD - state.ready.length, have });
    state.answers = Math.max(answer.answers, state.answers);
    const known = new Set([...have, ...state.past.map((one) => one.task.task)]);
    const fresh = answer.tasks.filter((task) => !known.has(task.task));
    state.ready.push(...fresh);
    state.end = state.ready.length ? '' : answer.end;
    state.completion = answer.completion || state.completion;
    for (const task of fresh) preload(state.project, task.items);
    state.fetching = false;
    if (!state.current) next();
  } catch (error) {
    state.fetching = false;
    if (!error.passing) failed(error);
    else {
      if (!state.current) show(main, el('h1', null, 'No connection'), el('p', { class: 'quiet' }, 'Trying again …'));
      setTimeout(() => { if (!state.ready.length) fetchTasks(); }, 2000);
    }
  }
}

function next() {
  if (state.paused) return;
  const task = state.ready.shift();
  state.current = null;
  if (task) {
    present(task, null);
  } else if (state.end === 'wait' || (!state.end && !state.fetching)) {
    show(main, el('p', { class: 'quiet' }, 'Looking for the next task …'));
    const wait = state.end === 'wait' ? 1000 : 0;
    state.end = '';
    setTimeout(fetchTasks, wait);
    return;
  } else if (state.end) {
    finished();
    return;
  } else {
    show(main, el('p', { class: 'quiet' }, 'Looking for the next task …'));
  }
  if (state.ready.length < AHEAD / 2) fetchTasks();
}

function present(task, before) {
  const make = state.project.task === 'sets' ? pilesTask : pairsTask;
  const view = make(state.project, task, before, (answer) => answered(task, answer, before), say);
  state.current = { task, view };
  drawTop();
  show(main, view.element);
}

function answered(task, answer, before) {
  const { value, took, names } = answer;
  state.past = state.past.filter((one) => one.task.task !== task.task);
  state.past.push({ task, answer });
  if (state.past.length > 30) state.past.shift();
  state.current = null;
  state.outbox.add({ task: task.task, seal: task.seal, value, took, names, again: Boolean(before) || undefined });
  say('answered');
  next();
}

function undo() {
  const last = state.past.pop();
  if (!last) return;
  if (state.current) state.ready.unshift(state.current.task);
  present(last.task, last.answer);
  say('back at your last answer');
}

addEventListener('keydown', (event) => {
  if (!state.current || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (document.querySelector('dialog[open]')) return;
  if (state.current.view.key(event)) event.preventDefault();
  else if (event.key === 'Backspace' && !event.target.closest('input')) undo();
});

addEventListener('hashchange', () => location.reload());

function failed(error) {
  if (error.status === 401 || error.status === 403) {
    message('This link does not work', 'It may be incomplete, or the project has ended. Please ask who sent it to you.');
  } else if (error.passing) {
    message('No connection', 'Trying again in a moment …');
    setTimeout(() => location.reload(), 3000);
  } else {
    message('Something went wrong', String(error.message || error));
  }
}

enter().catch(failed);
