// Runs inside a report that is being tested, and tells what is wrong with it. Not part of a report.
(function () {
  var found = window.probeFound = window.probeFound || [];
  function wrong(text) { if (found.length < 40) found.push(text); }

  function box(element) {
    var r = element.getBoundingClientRect();
    return {left: r.left + 1, right: r.right - 1, top: r.top + 1, bottom: r.bottom - 1};
  }
  function overlap(a, b) {
    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
  }

  function sections() {
    ['clusters', 'latent', 'workers', 'answers', 'training', 'origin'].forEach(function (id) {
      var section = document.getElementById(id);
      if (!section || !section.querySelector('h2')) wrong('section missing: ' + id);
    });
    document.querySelectorAll('nav a').forEach(function (a) {
      if (!document.querySelector(a.getAttribute('href'))) wrong('a link leads nowhere: ' + a.textContent);
    });
  }

  // Labels inside one chart neither cover each other nor leave the chart.
  function charts() {
    document.querySelectorAll('svg[role=img]').forEach(function (svg) {
      var name = svg.getAttribute('aria-label'), frame = svg.getBoundingClientRect();
      if (!name) wrong('a chart without a text');
      var texts = Array.from(svg.querySelectorAll('text')), boxes = texts.map(box);
      texts.forEach(function (text, i) {
        var size = parseFloat(getComputedStyle(text).fontSize) * frame.width / svg.viewBox.baseVal.width;
        if (size < 8) wrong(name + ': text of ' + size.toFixed(1) + ' px');
        if (boxes[i].left < frame.left - 2 || boxes[i].right > frame.right + 2 ||
            boxes[i].top < frame.top - 2 || boxes[i].bottom > frame.bottom + 2)
          wrong(name + ': a label leaves the chart: ' + text.textContent);
        for (var j = 0; j < i; j++) {
          if (overlap(boxes[i], boxes[j]))
            wrong(name + ': labels overlap: ' + text.textContent + ' / ' + texts[j].textContent);
        }
      });
    });
  }

  function pictures() {
    document.querySelectorAll('img').forEach(function (img) {
      if (!img.alt) wrong('a picture without a text');
      if (!img.complete || !img.naturalWidth) wrong('a picture that does not load');
    });
  }

  function width() {
    var page = document.documentElement;
    if (page.scrollWidth > page.clientWidth + 1)
      wrong('the page is ' + page.scrollWidth + ' px wide on a screen of ' + page.clientWidth);
  }

  function channels(colour) {
    var c = (colour.match(/[\d.]+/g) || [0, 0, 0]).map(Number);
    return c.length > 3 && c[3] === 0 ? null : c;
  }
  function luminance(c) {
    var f = c.slice(0, 3).map(function (v) {
      v /= 255;
      return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2];
  }
  function background(element) {
    for (; element; element = element.parentElement) {
      var c = channels(getComputedStyle(element).backgroundColor);
      if (c && !(c.length > 3 && c[3] < 1)) return c;
    }
    return [255, 255, 255];
  }
  function contrast() {
    document.querySelectorAll('p,h1,h2,h3,h4,small,figcaption,td,th,dt,dd,a,.flag,svg text').forEach(function (e) {
      var style = getComputedStyle(e), svg = e.closest('svg');
      var ink = channels(svg ? style.fill : style.color), paper = background(svg ? svg.parentElement : e);
      if (!ink || !e.textContent.trim()) return;
      var a = luminance(ink), b = luminance(paper), ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (ratio < 4.5) wrong('contrast ' + ratio.toFixed(2) + ' of ' + e.tagName + ': ' + e.textContent.slice(0, 30));
    });
  }

  // A click on a heading sorts downwards, a second one upwards.
  function sorting() {
    document.querySelectorAll('th button').forEach(function (button) {
      var th = button.parentNode, body = th.closest('table').tBodies[0];
      function values() {
        return Array.from(body.rows).map(function (row) {
          var cell = row.cells[th.cellIndex];
          return cell.dataset.v === undefined ? cell.textContent : +cell.dataset.v;
        });
      }
      [1, -1].forEach(function (down) {
        button.click();
        values().forEach(function (v, i, all) {
          if (i && (all[i - 1] < v ? 1 : all[i - 1] > v ? -1 : 0) * down > 0)
            wrong('not sorted by ' + button.textContent);
        });
        if (!th.getAttribute('aria-sort')) wrong('no aria-sort at ' + button.textContent);
      });
    });
  }

  function requests() {
    performance.getEntriesByType('resource').forEach(function (entry) {
      if (entry.name.indexOf('data:') !== 0) wrong('a request: ' + entry.name);
    });
  }

  window.addEventListener('load', function () {
    var all = [sections, charts, pictures, width, contrast, sorting, requests];
    (window.probeChartsOnly ? [charts, requests] : all).forEach(function (check) {
      try { check(); } catch (error) { wrong(check.name + ': ' + error); }
    });
    console.log('PROBE ' + encodeURIComponent(JSON.stringify({
      found: found, dark: matchMedia('(prefers-color-scheme: dark)').matches, width: innerWidth
    })) + ' END');
  });
})();
