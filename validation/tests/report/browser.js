/* A headless browser over two pipes, by the DevTools protocol: of the tests that open pages. */
"use strict";
const {spawn} = require("child_process");
const fs = require("fs");
const os = require("os");
const path = require("path");

/* Starts the browser. `on.message` hears what it tells of its own accord; `ended` is a promise. */
const start = (browser, size = "1280,1600") => {
    const home = fs.mkdtempSync(path.join(os.tmpdir(), "report-browser-"));
    const flags = ["--headless", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run", "--disable-background-networking",
        "--disable-extensions", "--disable-dev-shm-usage", `--user-data-dir=${home}`, `--window-size=${size}`, "about:blank"];
    if (process.getuid() === 0) flags.unshift("--no-sandbox");
    const child = spawn(browser, flags, {stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"]});
    const waiting = new Map();
    const on = {message: () => {}};
    let last = 0;
    let rest = [];

    const take = (text) => {
        const message = JSON.parse(text);
        if (!message.id) on.message(message);
        else if (message.error) waiting.get(message.id).fail(new Error(message.error.message));
        else waiting.get(message.id).done(message.result);
    };
    child.stdio[4].on("data", (bytes) => {
        const parts = bytes.toString("latin1").split("\0");
        rest.push(parts.shift());
        while (parts.length) {
            take(Buffer.from(rest.join(""), "latin1").toString("utf8"));
            rest = [parts.shift()];
        }
    });

    const call = (method, params = {}, sessionId = undefined) =>
        new Promise((done, fail) => {
            waiting.set(++last, {done, fail});
            child.stdio[3].write(`${JSON.stringify({id: last, method, params, sessionId})}\0`);
        });

    child.on("error", (error) => {
        console.log(`${browser}: ${error.message}`);
        process.exit(2);
    });
    const gone = new Promise((done) => child.on("exit", done));

    /* Ends the browser and waits for its end. */
    const end = async () => {
        call("Browser.close").catch(() => {});
        setTimeout(() => child.kill("SIGKILL"), 5000).unref();
        await gone;
        child.stdio[3].destroy();
        child.stdio[4].destroy();
    };

    /* Opens an empty tab and gives its session. */
    const open = async () => {
        const {targetId} = await call("Target.createTarget", {url: "about:blank"});
        const {sessionId} = await call("Target.attachToTarget", {targetId, flatten: true});
        for (const domain of ["Page", "Runtime", "Log", "Network"]) await call(`${domain}.enable`, {}, sessionId);
        return {targetId, sessionId};
    };

    return {call, on, open, end, kill: () => child.kill("SIGKILL")};
};

module.exports = {start};
