// The owner's page: how it goes, who answers how, what the clusters look like, what to take away.
import { el, show, ask, count } from './dom.js';
import { itemView } from './items.js';
import { hoursChart, outlookChart, rateBar, percent } from './charts.js';

const LOOK_MS = 4000;
const top = document.getElementById('top');
const main = document.getElementById('main');
const banner = document.getElementById('banner');
const token = location.hash.slice(1);

const FLAGS = {
  same: ['always the same', 'All answers are alike, where others see both kinds.'],
  fast: ['too fast', 'Half of the latest answers took less time than looking does.'],
  checks: ['fails checks', 'Many questions with a known answer were answered wrongly.'],
  chance: ['below chance', 'Answers contradict the others more often than guesses would.'],
};
const ADVICE = {
  early: ['', 'Too early to tell', 'After two fits in the background this says whether more answers would change anything.'],
  'go on': ['', 'Go on', 'New answers still change the clusters.'],
  soon: ['', 'Nearly there', 'Clusters change little by now. Some more answers will settle the doubtful items.'],
  stop: ['stop', 'You could stop', 'More answers hardly change the clusters.'],
  reached: ['stop', 'You could stop', 'The clusters are as good as was asked for.'],
  'out of reach': ['', 'More answers alone will not do', 'What was asked for is not reached with as many answers as were looked ahead.'],
};

const parts = {}; // sections, made once and filled again and again
let project = null;
let links = [];

function section(name, title) {
  if (!parts[name]) parts[name] = el('section', { class: 'card', 'aria-label': title });
  return parts[name];
}

// ---- sections -------------------------------------------------------------------------------------

function facts(data) {
  const { totals, clusters } = data;
  const fact = (value, text) => el('div', { class: 'fact' }, el('b', null, value), el('span', null, text));
  show(parts.facts, fact(totals.answers.toLocaleString('en'), 'answers'), fact(String(totals.active), 'people at work now'),
    fact(percent(totals.askedItems / data.project.items), `of ${data.project.items.toLocaleString('en')} items asked about`),
    fact(clusters ? String(clusters.count) : '–', 'clusters so far'));
}

// What the next answers are expected to bring, from the curve and from the best question at hand.
function gains({ points = [], gain }) {
  const list = [];
  const at = points.findIndex((point) => !point.measured);
  const [now, next] = [points[at - 1], points[at]];
  if (now && next && next.answers > now.answers) {
    const more = Math.round(next.answers - now.answers).toLocaleString('en');
    list.push(`The next ${more} answers are expected to put ${(100 * Math.max(0, next.accuracy - now.accuracy)).toFixed(1)} % more of the items right.`);
  }
  if (typeof gain === 'number') list.push(`The best question at hand settles the company of ${(100 * gain).toFixed(gain < .001 ? 3 : 2)} % of the items, as far as can be told.`);
  return list;
}

let adviceShown = '';
function advice(data) {
  const { advice: word, sentence, accuracy, interval, moved, certainty, points } = data.advice;
  const key = JSON.stringify([data.advice, data.totals.fitting, data.totals.failedFits]);
  if (key === adviceShown) return;
  adviceShown = key;
  const [kind, title, text] = ADVICE[word] || ADVICE.early;
  const box = section('advice', 'Advice');
  box.className = 'card advice ' + kind;
  const seen = [];
  if (typeof accuracy === 'number' && interval) seen.push(`By its own reckoning ${percent(accuracy)} of the items are in the right company (${percent(interval[0])} to ${percent(interval[1])}).`);
  seen.push(...gains(data.advice));
  if (moved >= 0) seen.push(`Between the last two fits ${(100 * moved).toFixed(1)} % of the items changed company; an item's cluster is ${percent(certainty)} certain on average.`);
  if (data.totals.fitting) seen.push('The items are being clustered right now.');
  if (data.totals.failedFits && !data.totals.fits) seen.push('The last fit failed; see runs/log.txt in the project.');
  show(box, el('h2', null, title), el('p', null, sentence || text), points && points.length > 1 ? outlookChart(points) : null,
    seen.length ? el('p', { class: 'quiet' }, seen.join(' ')) : null);
}

function hours(data) {
  show(section('hours', 'Answers per hour'), el('h2', null, 'Answers per hour'), hoursChart(data.hours, data.now));
}

function standing(worker, word) {
  return ask(token, '/api/owner/standing', { worker, standing: word }).then(look, failed);
}

function workerRow(worker) {
  const blocked = worker.standing === 'blocked';
  const button = (text, word) => el('button', { type: 'button', class: 'plain', 'aria-label': `${text} ${worker.name}`, onclick: () => standing(worker.number, word) }, text);
  return el('tr', { class: worker.standing },
    el('td', null, worker.name, worker.source === 'open' || worker.source === 'link' ? null : el('span', { class: 'quiet' }, ' ' + worker.source)),
    el('td', { class: 'n' }, worker.answers.toLocaleString('en')),
    el('td', { class: 'n' }, worker.seconds === null ? '–' : worker.seconds.toFixed(1) + ' s'),
    el('td', null, rateBar(worker.sensitivity)), el('td', null, rateBar(worker.specificity)),
    el('td', { class: 'n' }, percent(worker.agreement)),
    el('td', { class: 'n' }, worker.checks ? `${worker.checksRight}/${worker.checks}` : '–'),
    el('td', null, worker.flags.map((flag) => el('span', { class: 'flag', title: FLAGS[flag][1] }, FLAGS[flag][0]))),
    el('td', null, blocked ? button('Unblock', 'good') : button('Block', 'blocked'),
      worker.flags.length && !blocked ? button('Forgive', 'forgiven') : null));
}

function workers(data) {
  const list = [...data.workers].sort((a, b) => b.flags.length - a.flags.length || b.answers - a.answers);
  const heads = [['Name'], ['Answers', 'n'], ['Speed', 'n', 'median time of the latest answers'],
    ['Sensitivity', '', 'how often "same" when two items belong together; from the last fit'],
    ['Specificity', '', 'how often "different" when they do not; from the last fit'],
    ['Agreement', 'n', 'with others on the same questions'], ['Checks', 'n', 'questions with a known answer'], ['Suspicious'], ['']];
  show(section('workers', 'Workers'), el('h2', null, 'Workers'),
    list.length ? el('table', null,
      el('thead', null, el('tr', null, heads.map(([text, kind, title]) => (text
        ? el('th', { class: kind || '', title: title || null, scope: 'col' }, text) : el('td', null))))),
      el('tbody', null, list.map(workerRow)))
      : el('p', { class: 'quiet' }, 'Nobody yet. Send out the open link, or make personal links below.'));
}

function thumbs(items, rest) {
  return el('div', { class: 'thumbs' }, items.map((item) => itemView(project, item, 'item ' + item)),
    rest && rest.length ? [el('span', { class: 'gap' }, 'least sure:'), rest.map((item) => itemView(project, item, 'item ' + item))].flat() : null);
}

let clustersShown = 0;
function clusters(data) {
  const box = section('clusters', 'Clusters');
  if (!data.clusters) {
    show(box, el('h2', null, 'Clusters'), el('p', { class: 'quiet' }, 'They appear after the first answers.'));
    return;
  }
  if (clustersShown === data.clusters.time) return; // pictures would flicker
  clustersShown = data.clusters.time;
  show(box, el('h2', null, `${count(data.clusters.count, 'cluster', 'clusters')} so far`),
    el('p', { class: 'quiet' }, `From ${data.clusters.answers.toLocaleString('en')} answers` + (data.clusters.seconds ? `, in ${Math.ceil(data.clusters.seconds)} s.` : '.')),
    data.clusters.list.map((one) => el('div', { class: 'cluster' },
      el('div', null, el('strong', null, count(one.size, 'item', 'items')), el('br'), el('span', { class: 'quiet' }, percent(one.certainty) + ' certain')),
      thumbs(one.items, one.doubtful))));
}

let disputedShown = '';
function disputed(data) {
  const box = section('disputed', 'Disputed pairs');
  const key = JSON.stringify(data.disputed);
  if (key === disputedShown) return;
  disputedShown = key;
  show(box, el('h2', null, 'Disputed pairs'),
    data.disputed.length ? el('div', { class: 'disputes' }, data.disputed.map((one) => el('div', { class: 'dispute' },
      thumbs([one.left, one.right]), `${one.same} same, ${one.different} different`)))
      : el('p', { class: 'quiet' }, 'None yet.'));
}

// ---- links and files ------------------------------------------------------------------------------

function makeLinks(text) {
  const names = text.split(/[\n,;]/).map((name) => name.trim()).filter(Boolean).slice(0, 500);
  if (!names.length) return;
  ask(token, '/api/owner/links', { names }).then((answer) => {
    links = [...answer.links, ...links];
    drawLinks();
    look();
  }, failed);
}

function drawLinks() {
  const names = el('textarea', { id: 'names', rows: 3, placeholder: 'One name a line' });
  show(section('links', 'Personal links'), el('h2', null, 'Personal links'),
    el('label', { for: 'names' }, 'Names of people to invite'), names,
    el('div', { class: 'tools' }, el('button', { type: 'button', class: 'main-button', onclick: () => makeLinks(names.value) }, 'Make links')),
    links.length ? [el('p', { class: 'quiet' }, 'Copy them now: only their hashes are kept, so they are shown once.'),
      el('div', { class: 'links', tabindex: '0', role: 'region', 'aria-label': 'new links' },
        links.map((link) => `${link.name}: ${location.origin}/#${link.token}`).join('\n'))] : null);
}

async function download(path, name) {
  const response = await fetch('/api/owner/' + path, { headers: { Authorization: 'Bearer ' + token }, cache: 'no-store' });
  if (!response.ok) {
    show(banner, (await response.json().catch(() => ({}))).error || 'That did not work.');
    return;
  }
  const address = URL.createObjectURL(await response.blob());
  el('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function drawFiles() {
  const button = (text, path) => el('button', { type: 'button', class: 'plain', onclick: () => download(path, path).catch(failed) }, text);
  show(section('files', 'Files'), el('h2', null, 'Take away'), el('div', { class: 'downloads' },
    button('answers.csv', 'answers.csv'), button('The whole project', 'project.db'), button('Report of the last fit', 'report.html')),
  el('p', { class: 'quiet' }, 'scdc fit DATA --annotations PROJECT clusters with all answers; blocked people are left out.'));
}

// ---- the loop -------------------------------------------------------------------------------------

function draw(data) {
  if (!project) {
    project = { itemBase: data.project.itemBase, items: data.project.kind, width: data.project.width, height: data.project.height };
    document.title = data.project.title + ' · collecting';
    parts.facts = el('div', { class: 'facts' });
    drawLinks();
    drawFiles();
    show(top, el('span', { class: 'brand' }, data.project.title),
      el('span', { class: 'quiet' }, `${data.project.task === 'sets' ? 'piles of ' + data.project.setSize : 'pairs'}, ${data.project.strategy}`));
    show(main, el('h1', null, 'How it goes'), parts.facts, section('advice', 'Advice'), section('clusters', 'Clusters'),
      section('workers', 'Workers'), section('hours', 'Answers per hour'), section('disputed', 'Disputed pairs'), parts.links, parts.files);
  }
  if (data.totals.trouble) show(banner, 'The server cannot write: ' + data.totals.trouble + '. Workers are told to wait; nothing acknowledged is lost.');
  else banner.hidden = true;
  facts(data);
  advice(data);
  hours(data);
  workers(data);
  clusters(data);
  disputed(data);
}

function failed(error) {
  if (error.status === 401 || error.status === 403) {
    show(main, el('h1', null, 'This link does not open the project'), el('p', null, 'The owner’s link is printed when scdc collect starts.'));
    return;
  }
  show(banner, error.passing ? 'No connection. Trying again …' : String(error.message || error));
}

function look() {
  return ask(token, '/api/owner/overview').then(draw);
}

async function loop() {
  try {
    if (!document.hidden) await look();
    if (!project && document.hidden) await look();
  } catch (error) {
    failed(error);
    if (!error.passing) return;
  }
  setTimeout(loop, LOOK_MS);
}

addEventListener('hashchange', () => location.reload());
loop();
