// Does the tasks of scdc collect as people do, and as networks do it to them.
// Usage: node main.cjs SCDC CHROMIUM [--keep FOLDER] [NAME...]
'use strict';
const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { Bench } = require('./bench.cjs');

const words = process.argv.slice(2);
const [scdc, browser] = words;
const keep = words[2] === '--keep' ? words[3] : null;
const only = words.slice(keep ? 4 : 2);
const tests = [];
const test = (name, run) => tests.push({ name, run });

async function shot(page, name) {
  if (keep) await page.screenshot({ path: path.join(keep, name + '.png') });
}

async function answerBy(page, keys) {
  for (const key of keys) {
    await page.waitForSelector('.choice');
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
  }
}

// ---- pairs --------------------------------------------------------------------------------------

test('pairs by mouse', async (bench) => {
  const server = await bench.serve('mouse');
  const page = await bench.page();
  await bench.enter(page, server, 'Mouse');
  for (let i = 0; i < 5; i++) {
    await page.click(['.choice[data-value="1"]', '.choice[data-value="0"]', '.choice[data-value="?"]'][i % 3]);
    await page.waitForTimeout(60);
  }
  const kept = await bench.waitForAnswers(server, 5);
  assert.equal(kept.length, 5);
  assert.equal(kept.filter((row) => row.endsWith(',same')).length, 2);
  assert.equal(kept.filter((row) => row.endsWith(',unsure')).length, 1);
  assert.equal(new Set(kept.map((row) => row.split(',').slice(1, 3).join())).size, 5, 'no pair twice');
  assert.match(await page.textContent('.progress'), /5 answers/);
  await page.click('.two .item');
  await page.waitForSelector('dialog[open] img');
  await page.keyboard.press('Escape');
  assert.deepEqual(page.troubles, []);
});

test('pairs by keys, and undo', async (bench) => {
  const server = await bench.serve('keys');
  const page = await bench.page();
  await bench.enter(page, server, 'Keys');
  await answerBy(page, ['1', '2', '3', 'ArrowLeft', 'ArrowRight', 'ArrowDown']);
  let kept = await bench.waitForAnswers(server, 6);
  assert.deepEqual(kept.map((row) => row.split(',')[3]), ['same', 'different', 'unsure', 'same', 'different', 'unsure']);
  await page.keyboard.press('Backspace');
  await page.waitForSelector('.choice.before[data-value="?"]');
  await page.keyboard.press('1');
  await page.waitForTimeout(400);
  kept = bench.answers(server);
  assert.equal(kept.length, 6, 'thought better of, not added');
  assert.equal(kept[5].split(',')[3], 'same');
  assert.deepEqual(page.troubles, []);
});

test('pairs by touch on a phone', async (bench) => {
  const server = await bench.serve('touch');
  const page = await bench.page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await bench.enter(page, server, 'Touch');
  for (let i = 0; i < 4; i++) {
    await page.tap('.choice[data-value="0"]');
    await page.waitForTimeout(80);
  }
  assert.equal((await bench.waitForAnswers(server, 4)).length, 4);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, 'no sideways scrolling');
  await shot(page, 'collect-phone');
});

// ---- broken connections -------------------------------------------------------------------------

test('a broken connection loses nothing', async (bench) => {
  const server = await bench.serve('offline');
  const page = await bench.page();
  await bench.enter(page, server, 'Offline');
  await answerBy(page, ['1']);
  await page.waitForTimeout(300);
  await page.context().setOffline(true);
  await answerBy(page, ['2', '2']);
  await page.waitForSelector('#banner:not([hidden])');
  assert.match(await page.textContent('#banner'), /2 answers wait/);
  assert.equal(bench.answers(server).length, 1);
  await page.context().setOffline(false);
  assert.equal((await bench.waitForAnswers(server, 3)).length, 3);
  await page.waitForSelector('#banner', { state: 'hidden' });
});

test('unsent answers survive a reload, acknowledgements that get lost double nothing', async (bench) => {
  const server = await bench.serve('reload');
  const page = await bench.page();
  await bench.enter(page, server, 'Reload');
  await page.route('**/api/answers', (route) => route.abort());
  await answerBy(page, ['1', '1', '2']);
  await page.waitForTimeout(300);
  assert.equal(bench.answers(server).length, 0);
  await page.reload();
  await page.waitForSelector('.pairs, .main-button');
  await page.unroute('**/api/answers');
  // The server gets it, the page never hears of it.
  await page.route('**/api/answers', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.waitForTimeout(2500);
  assert.equal(bench.answers(server).length, 3);
  await page.unroute('**/api/answers');
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await page.waitForFunction(() => !Object.keys(localStorage).some((key) => /\/\d{12}-/.test(key)), null, { timeout: 15000 });
  const kept = bench.answers(server);
  assert.equal(kept.length, 3);
});

test('a server that dies and comes back', async (bench) => {
  const server = await bench.serve('dies', '--listen', '127.0.0.1:0');
  const page = await bench.page();
  await bench.enter(page, server, 'Dies');
  await answerBy(page, ['1', '1']);
  await bench.waitForAnswers(server, 2);
  const port = new URL(server.url).port;
  server.stop();
  await page.waitForTimeout(300);
  await answerBy(page, ['2', '2']);
  await page.waitForSelector('#banner:not([hidden])');
  const again = await bench.serve('dies', '--listen', '127.0.0.1:' + port);
  assert.equal((await bench.waitForAnswers(again, 4)).length, 4);
  await answerBy(page, ['1']);
  assert.equal((await bench.waitForAnswers(again, 5)).length, 5);
});

test('two tabs, the back button, a clock set back', async (bench) => {
  const server = await bench.serve('tabs');
  const page = await bench.page();
  await bench.enter(page, server, 'Tabs');
  const address = page.url();
  const second = await page.context().newPage();
  await second.goto(address);
  await second.waitForSelector('.main-button, .choice');
  if (await second.$('.main-button')) await second.click('.main-button');
  await second.waitForSelector('.choice');
  // Both show tasks of the same person; whoever is later replaces, nothing doubles.
  for (let i = 0; i < 3; i++) await Promise.all([answerBy(page, ['1']), answerBy(second, ['2'])]);
  await page.waitForTimeout(600);
  let kept = bench.answers(server);
  const pairs = kept.map((row) => row.split(',').slice(0, 3).join());
  assert.equal(new Set(pairs).size, pairs.length, 'no pair twice: ' + kept.join(' | '));
  const before = kept.length;
  await page.goto(server.url + 'owner');
  await page.goBack();
  await page.waitForSelector('.choice');
  await page.evaluate(() => { Date.now = () => 1000; });
  await answerBy(page, ['3', '3']);
  kept = await bench.waitForAnswers(server, before + 2);
  assert.equal(kept.length, before + 2);
});

// ---- piles --------------------------------------------------------------------------------------

async function piles(bench, name, options) {
  const server = await bench.serve(name, '--task', 'sets', '--set-size', '6');
  const page = await bench.page(options);
  await bench.enter(page, server, name);
  await page.waitForSelector('.tray .item img');
  return { server, page };
}

function groupsOf(rows) {
  return rows.map((row) => row.split(',')[3]);
}

async function drag(page, from, to) {
  const a = await (await page.$(from)).boundingBox();
  const b = await (await page.$(to)).boundingBox();
  await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
  await page.mouse.down();
  await page.mouse.move(a.x + 30, a.y + 40, { steps: 3 });
  await page.mouse.move(b.x + b.width / 2, b.y + b.height - 12, { steps: 6 });
  await page.mouse.up();
}

test('piles by dragging', async (bench) => {
  const { server, page } = await piles(bench, 'drag');
  await drag(page, '.tray .item', '.pile.new');
  await drag(page, '.tray .item', '.pile[data-pile="0"]');
  await drag(page, '.tray .item', '.pile.new');
  assert.equal(await page.locator('.tray .item').count(), 3);
  await drag(page, '.pile[data-pile="0"] .item', '.tray');
  assert.equal(await page.locator('.tray .item').count(), 4);
  await page.click('.tools button:has-text("Undo")');
  assert.equal(await page.locator('.tray .item').count(), 3);
  await page.fill('.pile[data-pile="0"] .name', 'lying');
  await shot(page, 'collect-piles');
  await page.click('button:has-text("Done")');
  const kept = await bench.waitForAnswers(server, 6);
  assert.deepEqual(groupsOf(kept), ['0', '0', '1', '', '', '']);
  assert.deepEqual(page.troubles, []);
});

test('piles by taps, without any drag', async (bench) => {
  const { server, page } = await piles(bench, 'taps', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.tap('.tray .item >> nth=0');
  await page.tap('.tray .item >> nth=2');
  await page.tap('.pile.new');
  await page.tap('.tray .item >> nth=0');
  await page.tap('.pile.new');
  await page.tap('.tray .item >> nth=0');
  await page.tap('.pile[data-pile="0"] .put');
  await shot(page, 'collect-piles-phone');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, 'no sideways scrolling');
  await page.tap('button:has-text("Done")');
  assert.deepEqual(groupsOf(await bench.waitForAnswers(server, 6)), ['0', '1', '0', '0', '', '']);
});

test('piles by keys alone', async (bench) => {
  const { server, page } = await piles(bench, 'by keys');
  await page.focus('.tray .item');
  for (const key of ['n', 'n', '1', '2', 'u', '1']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(40);
    if (key === 'u') await page.focus('.tray .item');
  }
  await page.focus('.tray .item >> nth=0');
  await page.keyboard.press('Enter');
  assert.equal(await page.getAttribute('.tray .item >> nth=0', 'aria-pressed'), 'true');
  await page.keyboard.press('2');
  await page.focus('button:has-text("Done")');
  await page.keyboard.press('Enter');
  assert.deepEqual(groupsOf(await bench.waitForAnswers(server, 6)), ['0', '1', '0', '0', '1', '']);
});

// ---- platforms ----------------------------------------------------------------------------------

test('Prolific', async (bench) => {
  const server = await bench.serve('prolific', '--quota', '2', '--completion', 'C0DE');
  const page = await bench.page();
  const address = `${server.url}?PROLIFIC_PID=abc123&STUDY_ID=s&SESSION_ID=t&j=${server.join}`;
  await page.goto(address);
  await page.click('button:has-text("Begin")');
  await answerBy(page, ['1', '2']);
  const finish = await page.waitForSelector('a:has-text("Finish")');
  assert.equal(await finish.getAttribute('href'), 'https://app.prolific.com/submissions/complete?cc=C0DE');
  assert.equal((await bench.waitForAnswers(server, 2))[0].split(',')[0], 'abc123');
  await page.reload();
  await page.waitForSelector('a:has-text("Finish")');
  const other = await bench.page(); // another device, the same person
  await other.goto(address);
  await other.waitForSelector('a:has-text("Finish")');
});

test('MTurk', async (bench) => {
  const server = await bench.serve('mturk', '--quota', '1');
  const page = await bench.page();
  const base = `${server.url}mturk?j=${server.join}&hitId=h&workerId=A1&turkSubmitTo=${encodeURIComponent('https://workersandbox.mturk.com')}`;
  const response = await page.goto(base + '&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE');
  assert.match(response.headers()['content-security-policy'], /frame-ancestors https:\/\/www\.mturk\.com/);
  assert.match(await page.textContent('main'), /Accept the HIT/);
  await page.goto(base + '&assignmentId=ASSIGN');
  await page.click('button:has-text("Begin")');
  await answerBy(page, ['1']);
  const form = await page.waitForSelector('form');
  assert.equal(await form.getAttribute('action'), 'https://workersandbox.mturk.com/mturk/externalSubmit');
  assert.equal(await page.getAttribute('input[name=assignmentId]', 'value'), 'ASSIGN');
  await page.goto(base.replace(/turkSubmitTo=.*/, 'turkSubmitTo=https%3A%2F%2Fevil.example') + '&assignmentId=ASSIGN');
  await page.waitForSelector('h1:has-text("Thank you")');
  assert.equal(await page.$('form'), null, 'hands in nowhere else');
  const plain = await page.goto(server.url);
  assert.match(plain.headers()['content-security-policy'], /frame-ancestors 'none'/);
});

// ---- the owner ----------------------------------------------------------------------------------

const NASTY = '<img src=x onerror=alert(1)>';

test('names and instructions are only text', async (bench) => {
  const instructions = bench.file('instructions.md', `# Look\n\n${NASTY} **bold** [x](javascript:alert(2)) [y](https://example.org/)\n\n- one\n- two\n`);
  const server = await bench.serve('nasty', '--instructions', instructions, '--title', NASTY);
  const page = await bench.page();
  await page.goto(server.worker_url);
  await page.fill('#name', NASTY);
  await page.click('button:has-text("Begin")');
  await page.waitForSelector('.card.text strong');
  assert.equal(await page.locator('main img').count(), 0);
  assert.equal(await page.locator('.card a').count(), 1);
  const owner = await bench.page();
  await owner.goto(server.owner_url);
  await owner.waitForSelector('td');
  assert.match(await owner.textContent('tbody'), /<img src=x/);
  assert.deepEqual([...page.troubles, ...owner.troubles], []);
});

test('the owner watches, blocks, invites and downloads', async (bench) => {
  const server = await bench.serve('owner');
  const page = await bench.page();
  await bench.enter(page, server, 'Wendy');
  await answerBy(page, ['1', '2', '1']);
  await bench.waitForAnswers(server, 3);
  const owner = await bench.page();
  await owner.goto(server.owner_url);
  await owner.waitForSelector('tr:has-text("Wendy")');
  await owner.click('button:has-text("Block")');
  await owner.waitForSelector('tr.blocked');
  assert.equal(bench.answers(server).length, 0, 'a blocked person is left out');
  await page.reload();
  await page.waitForSelector('h1:has-text("Thank you")');
  await owner.click('button:has-text("Unblock")');
  await owner.waitForSelector('tr.good');
  assert.equal(bench.answers(server).length, 3, 'and back again');
  await owner.fill('#names', 'Xaver\nYvonne');
  await owner.click('button:has-text("Make links")');
  const links = (await (await owner.waitForSelector('.links')).textContent()).split('\n');
  assert.equal(links.length, 2);
  const guest = await bench.page();
  await guest.goto(links[0].replace(/^Xaver: /, ''));
  await guest.click('button:has-text("Begin")');
  await guest.waitForSelector('.choice');
  for (const [text, size] of [['answers.csv', 20], ['The whole project', 4096]]) {
    const [download] = await Promise.all([owner.waitForEvent('download'), owner.click(`button:has-text("${text}")`)]);
    assert.ok(fs.statSync(await download.path()).size > size, text);
  }
  assert.deepEqual(owner.troubles, []);
});

test('the owner sees what more answers would bring', async (bench) => {
  const server = await bench.demo('outlook', '--refit', '40');
  const owner = await bench.page({ viewport: { width: 1100, height: 1300 } });
  await owner.goto(server.owner_url);
  await owner.waitForSelector('.advice .outlook', { timeout: 120000 });
  assert.match(await owner.textContent('.advice'), /in the right company \(\d+ % to \d+ %\)/);
  assert.match(await owner.textContent('.advice'), /best question at hand settles/);
  assert.ok(await owner.locator('.outlook .curve').count() >= 1);
  await owner.waitForSelector('.cluster img');
  assert.deepEqual(await bench.accessible(owner, 'outlook'), []);
  await owner.waitForTimeout(keep ? 20000 : 0);
  await shot(owner, 'collect-owner');
  const phone = await bench.page({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' });
  await phone.goto(server.owner_url);
  await phone.waitForSelector('.advice .outlook');
  assert.deepEqual(await bench.accessible(phone, 'outlook on a phone'), []);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert.equal(wide, false, 'no sideways scrolling');
  await shot(phone, 'collect-owner-phone');
  assert.deepEqual([...owner.troubles, ...phone.troubles], []);
});

// ---- accessibility ------------------------------------------------------------------------------

test('axe finds nothing', async (bench) => {
  const found = [];
  const checks = bench.file('examples.csv', 'left,right,label\np00.pgm,p02.pgm,same\np00.pgm,p01.pgm,different\n');
  const pairs = await bench.serve('axe', '--examples', checks);
  const sets = await bench.serve('axe sets', '--task', 'sets', '--set-size', '5');
  const looks = [['light', { width: 1100, height: 800 }], ['dark', { width: 390, height: 844 }]];
  for (const [colorScheme, viewport] of looks) {
    const page = await bench.page({ colorScheme, viewport });
    const where = `${colorScheme} ${viewport.width}`;
    await page.goto(pairs.worker_url);
    await page.waitForSelector('#name');
    found.push(...await bench.accessible(page, where + ' welcome'));
    await page.fill('#name', 'Axe');
    await page.click('button:has-text("Begin")');
    await page.waitForSelector('.examples img');
    found.push(...await bench.accessible(page, where + ' instructions'));
    await page.click('button:has-text("Begin")');
    await page.waitForSelector('.choice');
    found.push(...await bench.accessible(page, where + ' pairs'));
    await answerBy(page, ['1']);
    await page.click('button:has-text("Pause")');
    found.push(...await bench.accessible(page, where + ' pause'));
    const piled = await bench.page({ colorScheme, viewport });
    await bench.enter(piled, sets, 'Axe');
    await piled.click('.tray .item');
    await piled.click('.pile.new');
    await piled.click('.tray .item');
    found.push(...await bench.accessible(piled, where + ' piles'));
    const owner = await bench.page({ colorScheme, viewport });
    await owner.goto(pairs.owner_url);
    await owner.waitForSelector('td');
    found.push(...await bench.accessible(owner, where + ' owner'));
    await Promise.all([page.context().close(), piled.context().close(), owner.context().close()]);
  }
  assert.deepEqual(found, []);
});

// ---- running ------------------------------------------------------------------------------------

(async () => {
  let failed = 0;
  const bench = new Bench(scdc, browser);
  if (keep) fs.mkdirSync(keep, { recursive: true });
  try {
    await bench.open();
    for (const { name, run } of tests) {
      if (only.length && !only.some((word) => name.includes(word))) continue;
      const started = Date.now();
      try {
        await run(bench);
        console.log(`ok: ${name} (${Date.now() - started} ms)`);
      } catch (error) {
        failed++;
        console.log(`FAILED: ${name}\n${error.stack || error}`);
      }
    }
  } finally {
    await bench.close();
  }
  process.exit(failed ? 1 : 0);
})();
