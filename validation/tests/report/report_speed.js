/* Measures how fast a page opens in a headless browser; used by report_browser_test.sh.
 *
 *   node report_speed.js BROWSER PAGE TIMES
 *
 * Prints the medians in seconds: "load 1.23 paint 0.45 script 0.10", from the begin of the navigation to the load
 * event and to the first paint of something. */
"use strict";
const {pathToFileURL} = require("url");
const fs = require("fs");
const {start} = require("./browser.js");

const [program, file, times] = process.argv.slice(2);
const browser = start(program);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

const one = async (page) => {
    const {targetId, sessionId} = await browser.open();
    const loaded = new Promise((done) => {
        browser.on.message = ({method, sessionId: of}) => {
            if (method === "Page.loadEventFired" && of === sessionId) done();
        };
    });
    await browser.call("Page.navigate", {url: page}, sessionId);
    await loaded;
    await new Promise((done) => setTimeout(done, 300));
    const expression = `({load: performance.timing.loadEventEnd - performance.timing.navigationStart,
        paint: (performance.getEntriesByName("first-contentful-paint")[0] || {startTime: NaN}).startTime,
        nodes: document.getElementsByTagName("*").length})`;
    const answer = await browser.call("Runtime.evaluate", {expression, returnByValue: true}, sessionId);
    await browser.call("Target.closeTarget", {targetId});
    return answer.result.value;
};

(async () => {
    const page = pathToFileURL(fs.realpathSync(file)).href;
    const seen = [];
    for (let i = 0; i < Number(times); i++) seen.push(await one(page));
    const of = (name) => (median(seen.map((one) => one[name])) / 1000).toFixed(2);
    console.log(`load ${of("load")} paint ${of("paint")} nodes ${seen[0].nodes}`);
    await browser.end();
})().catch((error) => {
    console.log(error.stack);
    browser.kill();
    process.exit(2);
});
