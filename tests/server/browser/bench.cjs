// A server and a browser to test with: items, projects, people, and what the server has kept.
'use strict';
const { spawn, execFileSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { chromium } = require('playwright-core');
const axe = require('axe-core');

const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

class Bench {
  constructor(scdc, browser) {
    this.scdc = scdc;
    this.browserPath = browser;
    this.folder = fs.mkdtempSync(path.join(os.tmpdir(), 'scdc-browser-'));
    this.servers = [];
  }

  async open() {
    this.makePictures();
    // A profile of its own in a new folder, as every launch of Playwright has.
    this.browser = await chromium.launch({ executablePath: this.browserPath, args: FLAGS });
  }

  async close() {
    if (this.browser) await this.browser.close();
    for (const server of this.servers) server.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  // Thirty little pictures: bars that stand or lie.
  makePictures() {
    const folder = path.join(this.folder, 'pictures');
    fs.mkdirSync(folder);
    for (let i = 0; i < 30; i++) {
      const pixels = Buffer.alloc(32 * 32, 30 + i);
      for (let k = 4; k < 28; k++) {
        for (let w = 0; w < 7; w++) pixels[i % 2 ? k * 32 + 8 + (i % 9) + w : (8 + (i % 9) + w) * 32 + k] = 220;
      }
      fs.writeFileSync(path.join(folder, `p${String(i).padStart(2, '0')}.pgm`),
        Buffer.concat([Buffer.from('P5\n32 32\n255\n'), pixels]));
    }
    this.pictures = folder;
  }

  file(name, text) {
    const file = path.join(this.folder, name);
    fs.writeFileSync(file, text);
    return file;
  }

  serve(name, ...options) {
    return this.collect(name, this.pictures, '--no-fit', ...options);
  }

  // Made-up people sort made-up pictures, and are thought about in the background.
  demo(name, ...options) {
    return this.collect(name, '--demo', ...options);
  }

  async collect(name, ...options) {
    const project = path.join(this.folder, name);
    const child = spawn(this.scdc, ['collect', '-o', project, '--json', ...options], { stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (part) => {
        text += part;
        if (text.includes('\n')) resolve(text.split('\n')[0]);
      });
      child.on('exit', (code) => reject(new Error(`scdc collect ended with ${code}`)));
    });
    const server = { project, child, ...JSON.parse(line), stop: () => child.kill('SIGKILL') };
    server.join = new URL(server.worker_url).hash.slice('#join='.length);
    this.servers.push(server);
    return server;
  }

  // The answers as the program exports them, without the header.
  answers(server) {
    const text = execFileSync(this.scdc, ['collect', 'export', server.project], { encoding: 'utf8' });
    return text.trim().split('\n').slice(1);
  }

  async waitForAnswers(server, number) {
    for (let i = 0; i < 100; i++) {
      if (this.answers(server).length >= number) break;
      await new Promise((done) => { setTimeout(done, 100); });
    }
    return this.answers(server);
  }

  // A page that remembers whatever went wrong on it.
  async page(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
    const page = await context.newPage();
    page.troubles = [];
    page.on('pageerror', (error) => page.troubles.push('error: ' + error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/.test(message.text())) page.troubles.push(message.text());
    });
    page.on('dialog', (dialog) => {
      page.troubles.push('dialog: ' + dialog.message());
      dialog.dismiss();
    });
    return page;
  }

  // Joins by the open link and goes on to the first task.
  async enter(page, server, name) {
    await page.goto(server.worker_url);
    await page.fill('#name', name);
    await page.click('button:has-text("Begin")');
    await page.waitForSelector('.card.text');
    await page.click('button:has-text("Begin")');
    await page.waitForSelector('.pairs, .piles');
  }

  async accessible(page, where) {
    await page.evaluate(axe.source);
    const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
    return found.violations.map((one) => `${where}: ${one.id}: ${one.help} (${one.nodes.map((node) => node.target.join(' ')).slice(0, 3).join('; ')})`);
  }
}

module.exports = { Bench };
