// Answers on their way. Each is kept in the browser under an id of its own until the server says that
// it has committed it; sent twice it is kept once. Tabs share the box, and none can lose another's.
import { ask, newId } from './dom.js';

const AT_ONCE = 50;
const LONGEST_PAUSE_MS = 30000;

// localStorage, or memory where a browser forbids it (some frames and private windows).
function storage() {
  try {
    localStorage.setItem('scdc/try', '1');
    localStorage.removeItem('scdc/try');
    return localStorage;
  } catch (error) {
    const map = new Map();
    return {
      memory: true,
      get length() { return map.size; },
      key: (i) => [...map.keys()][i] ?? null,
      getItem: (key) => map.get(key) ?? null,
      setItem: (key, value) => { map.set(key, value); },
      removeItem: (key) => { map.delete(key); },
    };
  }
}

export const keep = storage();

export class Outbox {
  constructor(project, token, onchange) {
    this.prefix = `scdc/${project}/${token.slice(0, 8)}/`;
    this.token = token;
    this.onchange = onchange;
    this.trouble = null; // why the last try failed
    this.answers = 0; // how many the server has of this person
    this.pause = 1000;
    this.sending = false;
    addEventListener('online', () => this.flush());
    addEventListener('pagehide', () => this.flush({ keepalive: true }));
  }

  keys() {
    const keys = [];
    for (let i = 0; i < keep.length; i++) {
      const key = keep.key(i);
      if (key && key.startsWith(this.prefix)) keys.push(key);
    }
    return keys.sort();
  }

  waiting() {
    return this.keys().map((key) => JSON.parse(keep.getItem(key) || 'null')).filter(Boolean);
  }

  add(answer) {
    const last = this.keys().pop();
    // Numbers, not the time: clocks are set back now and then.
    const number = last ? Number(last.slice(this.prefix.length).split('-')[0]) + 1 : 1;
    const id = newId();
    keep.setItem(this.prefix + String(number).padStart(12, '0') + '-' + id, JSON.stringify({ id, ...answer }));
    this.flush();
  }

  async flush(options) {
    if (this.sending && !options) return;
    this.sending = true;
    clearTimeout(this.timer);
    try {
      for (let batch; (batch = this.waiting().slice(0, AT_ONCE)).length;) {
        const answer = await ask(this.token, '/api/answers', { answers: batch }, options);
        const settled = new Set([...answer.kept, ...answer.refused.map((refused) => refused.id)]);
        this.answers = Math.max(this.answers, answer.answers);
        const before = this.keys().length;
        for (const key of this.keys()) if (settled.has(key.split('-').pop())) keep.removeItem(key);
        if (this.keys().length >= before) break; // nothing moves: do not spin
        this.pause = 1000;
        this.trouble = null;
        this.onchange();
      }
    } catch (error) {
      this.trouble = error;
      if (error.passing) {
        this.timer = setTimeout(() => this.flush(), this.pause * (0.7 + 0.6 * Math.random()));
        this.pause = Math.min(this.pause * 1.7, LONGEST_PAUSE_MS);
      }
    } finally {
      this.sending = false;
      this.onchange();
    }
  }
}
