// Small charts of the owner's page.
import { svg } from './dom.js';

// Answers per hour, the last one at the right.
export function hoursChart(counts, now) {
  const width = 640;
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

export function percent(share) {
  return share === null || share === undefined ? '–' : Math.round(100 * share) + ' %';
}
