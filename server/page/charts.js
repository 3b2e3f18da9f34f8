// Small charts of the owner's page.
import { svg } from './dom.js';

// Units of a chart's width: fewer on a phone, so that its words stay readable.
const roomy = () => (innerWidth < 600 ? 360 : 640);

// Answers per hour, the last one at the right.
export function hoursChart(counts, now) {
  const width = roomy();
  const height = 120;
  const foot = 18;
  const most = Math.max(1, ...counts);
  const step = width / counts.length;
  const bars = counts.map((number, i) => {
    const tall = number ? Math.max((height - foot - 14) * number / most, 1.5) : 0;
    const right = i > counts.length - 3;
    const hour = new Date(now - (counts.length - 1 - i) * 3600000).getHours();
    return svg('g', null,
      svg('rect', { x: i * step + 1, width: step - 2, y: height - foot - tall, height: tall, rx: 1.5, class: 'bar' },
        svg('title', null, `${number} answers, ${counts.length - 1 - i} hours ago`)),
      hour % 6 === 0 ? svg('text', { x: i * step + step / 2, y: height - 4, 'text-anchor': right ? 'end' : 'middle' }, `${hour}:00`) : null);
  });
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart', role: 'img', 'aria-label': `answers per hour, at most ${most}` },
    svg('line', { x1: 0, x2: width, y1: height - foot, y2: height - foot }),
    svg('text', { x: 0, y: 10 }, `${most} an hour at most`), bars);
}

// How many labels are right with how many answers: as measured, and as expected if people go on. Answers on a logarithmic
// scale, on which every doubling is as wide.
export function outlookChart(points) {
  const width = roomy();
  const height = 170;
  const [left, foot, head] = [42, 20, 12];
  const [fewest, most] = [points[0].answers, points[points.length - 1].answers].map((answers) => Math.max(1, answers));
  const floor = Math.min(.9, Math.floor(10 * Math.min(...points.map((point) => point.low ?? point.accuracy))) / 10);
  const x = (answers) => left + 6 + (width - left - 16) * Math.log(Math.max(1, answers) / fewest) / Math.log(Math.max(2, most / fewest));
  const y = (share) => head + (height - foot - head) * (1 - (Math.max(floor, Math.min(1, share)) - floor) / (1 - floor));
  const way = (list, share) => list.map((point) => `${x(point.answers).toFixed(1)},${y(share(point)).toFixed(1)}`);
  const now = points.filter((point) => point.measured);
  const expected = points.filter((point, i) => !point.measured || (points[i + 1] && !points[i + 1].measured));
  const band = [...way(points, (point) => point.high ?? point.accuracy), ...way(points, (point) => point.low ?? point.accuracy).reverse()];
  const last = now[now.length - 1];
  const grid = [floor, (floor + 1) / 2, 1].map((share) => [
    svg('line', { x1: left, x2: width, y1: y(share), y2: y(share) }),
    svg('text', { x: left - 6, y: y(share) + 4, 'text-anchor': 'end' }, percent(share))]);
  return svg('svg', { viewBox: `0 0 ${width} ${height}`, class: 'chart outlook', role: 'img',
    'aria-label': `share of right labels, ${last ? percent(last.accuracy) + ' now' : 'not known yet'}, by number of answers` },
  grid.flat(), svg('polygon', { points: band.join(' '), class: 'band' }),
  svg('polyline', { points: way(now, (point) => point.accuracy).join(' '), class: 'curve' }),
  svg('polyline', { points: way(expected, (point) => point.accuracy).join(' '), class: 'curve expected' }),
  last ? svg('circle', { cx: x(last.answers), cy: y(last.accuracy), r: 4, class: 'bar' }) : null,
  svg('text', { x: width, y: height - 4, 'text-anchor': 'end' }, `${amount(most)} answers`),
  last && x(last.answers) < width - 150 && x(last.answers) > left + 40 ? svg('text', { x: x(last.answers), y: height - 4, 'text-anchor': 'middle' }, `${amount(last.answers)} now`) : null,
  svg('text', { x: left + 6, y: height - 4, 'text-anchor': 'middle' }, amount(fewest)));
}

// A rate from 0 to 1 with its interval.
export function rateBar(rate) {
  if (!rate || rate[0] === null) return document.createTextNode('–');
  const [mean, low, high] = rate;
  const x = (value) => 4 + 72 * Math.max(0, Math.min(1, value));
  return svg('svg', { viewBox: '0 0 80 16', class: 'rate', role: 'img', 'aria-label': `${percent(mean)}, between ${percent(low)} and ${percent(high)}` },
    svg('line', { x1: 4, x2: 76, y1: 8, y2: 8, class: 'scale' }),
    svg('line', { x1: x(.5), x2: x(.5), y1: 4, y2: 12, class: 'scale' }),
    svg('line', { x1: x(low), x2: x(high), y1: 8, y2: 8, class: 'interval' }),
    svg('circle', { cx: x(mean), cy: 8, r: 4, class: mean < .6 ? 'dot bad' : 'dot' }),
    svg('title', null, `${percent(mean)} (${percent(low)} to ${percent(high)})`));
}

function amount(answers) {
  return Math.round(answers).toLocaleString('en');
}

export function percent(share) {
  return share === null || share === undefined ? '–' : Math.round(100 * share) + ' %';
}
