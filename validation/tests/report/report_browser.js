/* Opens pages in a headless browser and judges them; used by report_browser_test.sh.
 *
 *   node report_browser.js BROWSER CHARTS PAGE [CHARTS PAGE]...
 *
 * CHARTS is how many charts a page must have. Speaks the DevTools protocol over two pipes. Prints what is wrong, one
 * line each that begins with the name of the page; exit status 1 where anything is, 2 where the browser fails. */
"use strict";
const {pathToFileURL} = require("url");
const fs = require("fs");
const path = require("path");
const {start} = require("./browser.js");

const [program, ...pages] = process.argv.slice(2); /* pages: pairs of a number and a name */
const browser = start(program);
const {call} = browser;
const wrong = [];
const LIMIT = 120000; /* ms for one page */
const LARGE = 2e6; /* characters of a page that is loaded once only */

/* ---- what a page must be ----------------------------------------------------------------------------------------- */

/* Runs in the page. */
const look = () => {
    const figures = [...document.querySelectorAll("figure")].filter((figure) => !figure.closest(".leaf"));
    const marks = (figure) => figure.querySelectorAll("circle, rect, path, line:not(.gridline)").length;
    /* Texts that lie outside of their chart. */
    const outside = (figure) => [...figure.querySelectorAll("svg")].some((svg) => {
        const room = svg.getBoundingClientRect();
        return [...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect()).some((box) =>
            !box.width || box.left < room.left - 2 || box.right > room.right + 2 || box.top < room.top - 2 || box.bottom > room.bottom + 2);
    });
    return {
        drawn: figures.filter((figure) => marks(figure) > 3).map((figure) => figure.id),
        empty: figures.filter((figure) => marks(figure) <= 3).map((figure) => figure.id),
        outside: figures.filter(outside).map((figure) => figure.id),
        broken: [...document.querySelectorAll("svg *")].filter((e) => [...e.attributes].some((a) => a.value.includes("NaN"))).length,
        images: document.querySelectorAll("img, image, iframe, svg[onload]").length,
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
        cells: document.querySelectorAll("td").length,
        bytes: document.documentElement.outerHTML.length,
    };
};

/* Runs in the page: sorts the prices both ways, filters them, shows all. */
const use = () => {
    const table = document.getElementById("all-prices");
    const controls = table.parentElement.previousElementSibling;
    if (!controls.matches(".controls")) return {small: true};
    const headings = [...table.tHead.rows[0].cells];
    const column = headings.findIndex((heading) => heading.textContent === "price");
    const seen = () => [...table.tBodies[0].rows];
    const prices = () => seen().map((row) => parseFloat(row.cells[column].textContent.replaceAll(",", ""))).filter((price) => !Number.isNaN(price));
    const inOrder = (list, sign) => list.every((price, i) => !i || sign * (price - list[i - 1]) >= 0);
    const button = headings[column].querySelector("[role=button]");
    button.click();
    const down = inOrder(prices(), -1) && headings[column].getAttribute("aria-sort") === "descending";
    button.click();
    const up = inOrder(prices(), 1) && headings[column].getAttribute("aria-sort") === "ascending";
    const input = controls.querySelector("input");
    const first = seen().length;
    const filter = (text) => {
        input.value = text;
        input.dispatchEvent(new Event("input"));
        return seen().length;
    };
    const none = filter("no such trade");
    const european = filter("european");
    const right = seen().every((row) => row.textContent.includes("european"));
    filter("");
    controls.querySelector("button").click();
    const all = seen().length;
    filter("no such trade"); /* and be quick again */
    return {down, up, first, none, european, right, all};
};

/* Runs in the page: opens the leaf of the first trade by its link and looks at it, sorts a table of it, leaves it. */
const openLeaf = () =>
    new Promise((done) => {
        const link = document.querySelector("#all-prices tbody th a");
        const id = link.getAttribute("href").slice(1);
        const shown = () => [...document.querySelectorAll("main > *")].filter((e) => e.getClientRects().length);
        const before = shown().length;
        window.addEventListener("hashchange", () => setTimeout(() => {
            const [leaf, ...others] = shown();
            const heading = leaf.querySelector("thead .n [role=button]");
            const answer = {
                right: leaf.id === id && leaf.querySelector("h2").textContent === link.textContent,
                alone: !others.length && before > 5,
                terms: leaf.querySelectorAll("dt").length,
                dead: [...leaf.querySelectorAll("a")].filter((a) => {
                    const to = a.getAttribute("href").slice(1);
                    return !document.getElementById(to) && !document.getElementById("leaves").textContent.includes(`id="${to}"`);
                }).length,
                wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
            };
            if (heading) {
                heading.click();
                answer.sorted = heading.parentElement.getAttribute("aria-sort") === "descending";
            }
            window.addEventListener("hashchange", () => setTimeout(() => {
                answer.back = shown().length === before;
                done(answer);
            }, 50), {once: true});
            history.back();
        }, 50), {once: true});
        link.click();
    });

/* Runs in the page: opens the leaf of the asset with most charts, and looks at them. */
const openAsset = () =>
    new Promise((done) => {
        const text = document.getElementById("leaves").textContent;
        const most = [...document.querySelectorAll("#assets a")].map((a) => {
            const from = text.indexOf(`id="${a.getAttribute("href").slice(1)}"`);
            return {a, charts: text.slice(from, text.indexOf("</section>", from)).split("<figure").length - 1};
        }).reduce((x, y) => (x.charts >= y.charts ? x : y));
        window.addEventListener("hashchange", () => setTimeout(() => {
            const figures = [...document.querySelectorAll("main > .leaf figure")];
            const bad = figures.filter((figure) => figure.querySelectorAll("circle, rect, path").length < 1 || /NaN|inf/.test(figure.innerHTML));
            window.addEventListener("hashchange", () => setTimeout(() => done({charts: figures.length, wanted: most.charts, bad: bad.map((f) => f.id)}), 50), {once: true});
            history.back();
        }, 50), {once: true});
        most.a.click();
    });

/* Runs in the page: every table of rows alike can be sorted by keyboard. */
const sortable = () => {
    const tables = [...document.querySelectorAll(".table > table:not(.facts, .grid)")].filter((table) => table.tBodies[0].rows.length > 1);
    return tables.filter((table) => !table.querySelector("thead [role=button][tabindex='0']")).map((table) => table.id);
};

const evaluate = async (session, what) => {
    const answer = await call("Runtime.evaluate", {expression: `(${what})()`, returnByValue: true, awaitPromise: true}, session);
    if (answer.exceptionDetails) throw new Error(answer.exceptionDetails.exception.description);
    return answer.result.value;
};

/* Loads the page and gives what was heard of it meanwhile. */
const load = async (session, page, heard) => {
    const loaded = new Promise((done) => {
        browser.on.message = (message) => {
            const {method, params} = message;
            if (method === "Runtime.consoleAPICalled") heard.push(`console: ${params.args.map((a) => a.value || a.description)}`);
            if (method === "Runtime.exceptionThrown") heard.push(`exception: ${params.exceptionDetails.exception.description}`);
            if (method === "Log.entryAdded") heard.push(`log: ${params.entry.text}`);
            if (method === "Page.javascriptDialogOpening") heard.push(`dialog: ${params.message}`);
            if (method === "Network.requestWillBeSent" && params.request.url !== page) heard.push(`request: ${params.request.url}`);
            if (method === "Page.javascriptDialogOpening") call("Page.handleJavaScriptDialog", {accept: true}, session);
            if (method === "Page.loadEventFired") done();
        };
    });
    await call("Page.navigate", {url: page}, session);
    await loaded;
    /* Messages of what was just blocked may follow. */
    await new Promise((done) => setTimeout(done, 200));
};

const judgeWithoutScripts = async (session, page, charts, heard, complain) => {
    await call("Emulation.setScriptExecutionDisabled", {value: true}, session);
    await load(session, page, heard);
    const seen = await evaluate(session, look);
    if (seen.cells < 20 || seen.drawn.length !== charts || seen.empty.length) complain(`without JavaScript: ${JSON.stringify(seen)}`);
    const leaf = await evaluate(session, () => {
        const shown = () => [...document.querySelectorAll("section")].filter((e) => e.getClientRects().length);
        const [before, link] = [shown().length, document.querySelector("#all-prices tbody th a")];
        location.hash = link.getAttribute("href");
        return {before, after: shown().map((e) => e.id), wanted: link.getAttribute("href").slice(1)};
    });
    if (leaf.before < 5 || leaf.after.length !== 1 || leaf.after[0] !== leaf.wanted) complain(`a leaf without JavaScript: ${JSON.stringify(leaf)}`);
    await call("Emulation.setScriptExecutionDisabled", {value: false}, session);
};

const judge = async (charts, file) => {
    const name = path.basename(file);
    const complain = (text) => wrong.push(`${name}: ${text}`);
    const page = pathToFileURL(fs.realpathSync(file)).href;
    const {targetId, sessionId} = await browser.open();
    const heard = [];
    await load(sessionId, page, heard);

    const seen = await evaluate(sessionId, look);
    if (seen.drawn.length !== charts) complain(`${seen.drawn.length} charts are drawn, not ${charts}: ${seen.drawn}`);
    if (seen.empty.length) complain(`charts are empty: ${seen.empty}`);
    if (seen.outside.length) complain(`texts of charts lie outside: ${seen.outside}`);
    if (seen.broken) complain(`${seen.broken} marks stand at no number`);
    if (seen.images) complain("there are images");
    if (seen.wide) complain("the page is wider than its window");

    const unsortable = await evaluate(sessionId, sortable);
    if (unsortable.length) complain(`tables cannot be sorted: ${unsortable}`);
    const leaf = await evaluate(sessionId, openLeaf);
    if (!(leaf.right && leaf.alone && leaf.terms > 10 && !leaf.dead && !leaf.wide && leaf.sorted !== false && leaf.back))
        complain(`the leaf of a trade: ${JSON.stringify(leaf)}`);
    const asset = await evaluate(sessionId, openAsset);
    if (asset.charts < 1 || asset.charts !== asset.wanted || asset.bad.length) complain(`the leaf of an asset: ${JSON.stringify(asset)}`);
    await call("Emulation.setDeviceMetricsOverride", {width: 400, height: 800, deviceScaleFactor: 1, mobile: true}, sessionId);
    if ((await evaluate(sessionId, openLeaf)).wide) complain("the leaf of a trade is wider than a telephone");
    await call("Emulation.clearDeviceMetricsOverride", {}, sessionId);

    const used = await evaluate(sessionId, use);
    if (!used.small && !(used.down && used.up && used.none === 0 && used.european > 0 && used.right && used.all >= used.first && used.first <= 100))
        complain(`sorting and filtering: ${JSON.stringify(used)}`);

    await call("Emulation.setEmulatedMedia", {features: [{name: "prefers-color-scheme", value: "dark"}]}, sessionId);
    const ink = "getComputedStyle(document.body).backgroundColor";
    const dark = await evaluate(sessionId, `() => ${ink}`);
    await call("Emulation.setEmulatedMedia", {media: "print", features: [{name: "prefers-color-scheme", value: "dark"}]}, sessionId);
    const printed = await evaluate(sessionId, `() => ${ink}`);
    /* A sheet of A4 across less its margins, of 96 dots an inch. */
    await call("Emulation.setDeviceMetricsOverride", {width: 1032, height: 703, deviceScaleFactor: 1, mobile: false}, sessionId);
    const end = await evaluate(sessionId, () => document.getElementById("summary").getBoundingClientRect().bottom + window.scrollY);
    if (!(end <= 703)) complain(`the summary ends at ${end} of the 703 dots of a sheet`);
    await call("Emulation.clearDeviceMetricsOverride", {}, sessionId);
    if (dark === printed || printed !== "rgb(255, 255, 255)") complain(`the page is ${dark} in the dark and ${printed} on paper`);

    await call("Emulation.setEmulatedMedia", {media: "", features: []}, sessionId);
    await call("Emulation.setDeviceMetricsOverride", {width: 400, height: 800, deviceScaleFactor: 1, mobile: true}, sessionId);
    const small = await evaluate(sessionId, look);
    if (small.wide) complain("the page is wider than a telephone");
    if (small.outside.length) complain(`texts of charts lie outside on a telephone: ${small.outside}`);
    await call("Emulation.clearDeviceMetricsOverride", {}, sessionId);
    if (seen.bytes < LARGE) await judgeWithoutScripts(sessionId, page, charts, heard, complain);
    for (const line of heard) complain(line);
    await call("Target.closeTarget", {targetId});
};

/* ---- the run ----------------------------------------------------------------------------------------------------- */

const main = async () => {
    for (let i = 0; i < pages.length; i += 2) {
        const late = setTimeout(() => {
            console.log(`${pages[i + 1]}: no answer in ${LIMIT / 1000} s`);
            browser.kill();
            process.exit(2);
        }, LIMIT);
        await judge(Number(pages[i]), pages[i + 1]);
        clearTimeout(late);
    }
    await browser.end();
};

main()
    .catch((error) => {
        console.log(error.stack);
        browser.kill();
        process.exit(2);
    })
    .then(() => {
        for (const line of wrong) console.log(line);
        process.exitCode = wrong.length ? 1 : 0;
    });
