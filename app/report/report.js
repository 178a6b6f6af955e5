/* Sorting and filtering of the tables, and the charts. Texts reach the page as text alone, never as markup. */
"use strict";
(() => {
    /* ---- tables -------------------------------------------------------------------------------------- */

    const STEP = 100; /* rows shown at first */

    const numberOf = (cell) => {
        const text = cell.textContent.replaceAll(",", "");
        const number = parseFloat(text);
        return Number.isNaN(number) ? -Infinity : number;
    };

    const make = (tag, properties, ...children) => {
        const element = Object.assign(document.createElement(tag), properties);
        element.append(...children);
        return element;
    };

    /* Shows the rows that hold every word of the filter, up to a limit; says how many there are. The others leave the
     * page: ten thousand rows are slow to lay out. */
    const makeView = (table) => {
        const body = table.tBodies[0];
        const view = {rows: [...body.rows], limit: STEP, words: []};
        const count = make("span", {});
        count.setAttribute("role", "status");
        const more = make("button", {type: "button", textContent: "Show all"});
        view.show = () => {
            const found = view.rows.filter((row) => {
                const text = view.words.length ? row.textContent.toLowerCase() : "";
                return view.words.every((word) => text.includes(word));
            });
            const shown = found.slice(0, view.limit);
            body.replaceChildren(...shown);
            count.textContent = `${shown.length.toLocaleString("en")} of ${found.length.toLocaleString("en")} rows`;
            more.hidden = shown.length === found.length;
        };
        more.onclick = () => {
            view.limit = Infinity;
            view.show();
        };
        const input = make("input", {type: "search", placeholder: "Filter", autocomplete: "off"});
        input.setAttribute("aria-label", `Filter: ${table.caption.textContent}`);
        input.oninput = () => {
            view.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
            view.show();
        };
        table.parentElement.before(make("div", {className: "controls"}, input, count, more));
        view.show();
        return view;
    };

    const sortBy = (table, view, column, heading) => {
        const numeric = heading.classList.contains("n");
        const down = heading.getAttribute("aria-sort") === "descending" || (!numeric && !heading.hasAttribute("aria-sort"));
        const keyed = view.rows.map((row) => [numeric ? numberOf(row.cells[column]) : row.cells[column].textContent, row]);
        keyed.sort(([a], [b]) => (numeric ? a - b : a.localeCompare(b, "en", {numeric: true})) * (down ? 1 : -1));
        view.rows = keyed.map(([, row]) => row);
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "ascending" : "descending");
        view.show();
    };

    for (const table of document.querySelectorAll("table:not(.facts):not(.grid)")) {
        if (table.tBodies[0].rows.length < 12) continue;
        const pictures = [...table.tBodies[0].rows[0].cells].map((cell) => cell.querySelector("svg"));
        const view = makeView(table);
        [...table.tHead.rows[0].cells].forEach((heading, column) => {
            if (pictures[column]) return;
            /* No <button>: browsers leave it out of the headings that they print anew on each sheet. */
            const button = make("span", {tabIndex: 0}, ...heading.childNodes);
            button.setAttribute("role", "button");
            button.onclick = () => sortBy(table, view, column, heading);
            button.onkeydown = (event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                button.click();
            };
            heading.append(button);
        });
    }

    /* ---- charts -------------------------------------------------------------------------------------- */

    const island = document.getElementById("data");
    if (!island || !window.Plot) return;
    const data = JSON.parse(island.textContent);
    const POINTS = 2000; /* marks of one chart */
    const ROOM = 1160;
    const money = d3.format("~s");
    const exact = d3.format(",.6~g");
    const share = (number) => `${d3.format(".2~g")(number)} %`;
    const colour = (status) => (status === "ok" ? "var(--accent)" : status === "unchecked" || status === "expired" ? "var(--warn)" : "var(--bad)");
    const short = (text, most = 28) => (text.length > most ? `${text.slice(0, most - 1)}\u2026` : text);

    /* Puts the plots into the figure. Their own style elements go: the page's style says the same, and its policy
     * allows no other. */
    const show = (id, ...plots) => {
        const figure = document.getElementById(id);
        const title = figure.querySelector("h3").textContent;
        for (const plot of plots) {
            for (const style of plot.querySelectorAll("style")) style.remove();
            plot.setAttribute("role", "img");
            plot.setAttribute("aria-label", `${title}; the numbers are in the tables`);
            figure.querySelector(".plot").append(plot);
        }
        figure.hidden = false;
    };

    const say = (id, text) => document.querySelector(`#${id} figcaption p`).append(` ${text}`);

    const plot = (options) =>
        Plot.plot({width: ROOM, marginLeft: 56, marginBottom: 40, ...options, style: {fontFamily: "inherit", fontSize: "12px", background: "none"}});

    const columns = data.trades;
    const trades = columns.id.map((id, i) => Object.fromEntries([["index", i + 1], ...Object.keys(columns).map((name) => [name, columns[name][i]])]));
    const checked = trades.filter((trade) => trade.z !== null);

    /* Those of the largest |z| where there are too many to draw, in the order of the book. */
    const fewest = (list, id, most) => {
        if (list.length <= most) return list;
        say(id, `The ${most.toLocaleString("en")} of the largest z of ${list.length.toLocaleString("en")} are drawn.`);
        const chosen = [...list].sort((a, b) => Math.abs(b.z) - Math.abs(a.z)).slice(0, most);
        return chosen.sort((a, b) => a.index - b.index);
    };

    /* Even, or where a few are far beyond the typical one, even near 0 and logarithmic further out. */
    const scaleOf = (typical, least, largest) => {
        const most = Math.max(-least, largest);
        if (most < 15 * typical) return {type: "linear", ticks: 6};
        const powers = d3.range(Math.ceil(Math.log10(typical)), Math.log10(most) + 0.1).map((power) => 10 ** power);
        return {type: "symlog", constant: typical, ticks: [...powers.map((power) => -power), 0, ...powers].filter((tick) => least <= tick && tick <= largest), tickFormat: ",~r"};
    };

    const drawPrices = () => {
        const all = checked.filter((trade) => trade.error > 1e-10 * Math.abs(trade.reference));
        if (!all.length) return;
        const shown = fewest(all, "chart-prices", 400).map((trade, at) => {
            const distance = (100 * (trade.price - trade.reference)) / Math.abs(trade.reference);
            const error = (100 * trade.error) / Math.abs(trade.reference);
            return {...trade, at: at + 1, distance, error, low: distance - error, high: distance + error};
        });
        const title = (d) =>
            `${d.id}\n${d.type}\nprice ${exact(d.price)} ${d.currency}\nreference ${exact(d.reference)}\n${d.distance.toFixed(3)} % \u00b1 ${d.error.toFixed(3)} %`;
        const typical = d3.median(shown, (d) => d.error);
        show("chart-prices", plot({
            height: 260,
            x: {label: "trades, in the order of the book \u2192", ticks: [], domain: [0, shown.length + 1]},
            y: {label: "\u2191 price - reference, % of the reference", grid: true, ...scaleOf(typical, d3.min(shown, (d) => d.low), d3.max(shown, (d) => d.high))},
            marks: [
                Plot.ruleY([0]),
                Plot.ruleX(shown, {x: "at", y1: "low", y2: "high", stroke: (d) => colour(d.status), strokeOpacity: 0.6}),
                Plot.dot(shown, {x: "at", y: "distance", r: 2.5, fill: (d) => colour(d.status), channels: {title}, tip: {format: {x: false, y: false}}, title}),
            ],
        }));
    };

    const drawHistogram = () => {
        if (checked.length < 2) return;
        const width = checked.length < 200 ? 0.5 : 0.25;
        const edges = d3.range(-6, 6 + width / 2, width);
        const held = checked.map((trade) => Math.max(-5.999, Math.min(5.999, trade.z)));
        const law = d3.range(-5, 5.01, 0.1).map((z) => ({z, count: (checked.length * width * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI)}));
        show("chart-histogram", plot({
            width: 560,
            height: 260,
            x: {label: "z \u2192", domain: [-6, 6]},
            y: {label: "\u2191 trades", grid: true},
            marks: [
                Plot.rectY(held, Plot.binX({y: "count"}, {x: (z) => z, thresholds: edges, fill: "var(--accent)", fillOpacity: 0.55, tip: true})),
                Plot.line(law, {x: "z", y: "count", stroke: "var(--ink)", strokeWidth: 1.5}),
                Plot.ruleY([0]),
            ],
        }));
    };

    const drawZ = () => {
        if (!checked.length) return;
        const shown = fewest(checked, "chart-z", POINTS);
        const most = Math.max(data.limit * 1.15, d3.max(shown, (d) => Math.min(Math.abs(d.z), 20)));
        const held = (d) => Math.max(-most, Math.min(most, d.z));
        const title = (d) => `${d.id}\n${d.type}\nz ${d.z.toFixed(2)}\n${d.status}`;
        show("chart-z", plot({
            width: 560,
            height: 260,
            x: {label: "trades, in the order of the book \u2192", ticks: [], domain: [0, trades.length + 1]},
            y: {label: "\u2191 z", domain: [-most, most], grid: true},
            marks: [
                Plot.ruleY([0]),
                Plot.ruleY([-data.limit, data.limit], {stroke: "var(--bad)", strokeDasharray: "4 4"}),
                Plot.dot(shown, {x: "index", y: held, r: shown.length > 300 ? 1.5 : 2.5, fill: (d) => colour(d.status), title, tip: true}),
            ],
        }));
    };

    const drawPrecision = () => {
        const all = trades.filter((trade) => trade.error > 1e-10 * Math.abs(trade.price));
        if (!all.length) return;
        const stride = Math.ceil(all.length / POINTS);
        if (stride > 1) say("chart-precision", `One trade of ${stride} is drawn.`);
        const shown = all.filter((_, i) => i % stride === 0).map((trade) => ({...trade, share: (100 * trade.error) / Math.abs(trade.price)}));
        show("chart-precision", plot({
            height: 60 + 24 * new Set(shown.map((d) => d.type)).size,
            marginLeft: 110,
            x: {label: "standard error, % of the price (logarithmic) \u2192", type: "log", grid: true, ticks: 8, tickFormat: "~g"},
            y: {label: null},
            marks: [
                Plot.tickX(shown, {x: "share", y: "type", stroke: "var(--accent)", strokeOpacity: 0.55, strokeWidth: 2, title: (d) => `${d.id}\n${share(d.share)} of the price`, tip: true}),
            ],
        }));
    };

    const drawGreeks = () => {
        const plots = [];
        for (const greek of new Set(data.greeks.map((d) => d.greek))) {
            const all = data.greeks.filter((d) => d.greek === greek).map((d) => ({...d, name: short(d.asset, 16)}));
            const shown = all.sort((a, b) => Math.abs(b.value) - Math.abs(a.value)).slice(0, 20);
            if (!shown.length) continue;
            plots.push(plot({
                width: 365,
                height: 70 + 26 * shown.length,
                marginLeft: 100,
                marginTop: 30,
                x: {label: `${greek}, ${shown[0].currency} per ${shown[0].per} \u2192`, tickFormat: money, ticks: 4, grid: true, labelAnchor: "right"},
                y: {label: null, domain: shown.map((d) => d.name)},
                marks: [
                    Plot.barX(shown, {x: "value", y: "name", fill: (d) => (d.value < 0 ? "var(--l4)" : "var(--g4)"), title: (d) => `${d.asset}\n${greek} ${exact(d.value)} ${d.currency}\nper ${d.per}\n\u00b1 ${exact(d.error)} at most`, tip: true}),
                    Plot.ruleY(shown, {x1: (d) => d.value - d.error, x2: (d) => d.value + d.error, y: "name", strokeWidth: 1.5}),
                    Plot.ruleX([0]),
                ],
            }));
        }
        if (plots.length) show("chart-greeks", ...plots);
    };

    /* A cell's colour, as of the heat tables. */
    const heat = (value, most) => {
        const level = most > 0 && value !== null ? Math.round(5 * Math.sqrt(Math.abs(value) / most)) : 0;
        return level ? `var(--${value < 0 ? "l" : "g"}${level})` : "var(--head)";
    };

    /* Cells of grids have tables of their own. */
    const listed = () => {
        const of = data.scenarios;
        const all = of.names.map((name, i) => ({name, i, value: of.value[i], error: of.error[i]}));
        const others = all.filter(({name}) => !/ spot \S+% vol \S+%$/.test(name));
        return others.length ? others : all;
    };

    const drawScenarios = () => {
        const shown = listed().filter((d) => d.value !== null);
        if (!shown.length) return;
        show("chart-scenarios", plot({
            height: 60 + 20 * shown.length,
            marginLeft: 210,
            x: {label: `profit and loss, ${data.scenarios.currency} \u2192`, tickFormat: money, grid: true},
            y: {label: null, domain: shown.map((d) => d.name), tickFormat: (name) => short(name)},
            marks: [
                Plot.barX(shown, {x: "value", y: "name", fill: (d) => (d.value < 0 ? "var(--l4)" : "var(--g4)"), title: (d) => `${d.name}\n${exact(d.value)} \u00b1 ${exact(d.error)} ${data.scenarios.currency}`, tip: true}),
                Plot.ruleY(shown, {x1: (d) => d.value - d.error, x2: (d) => d.value + d.error, y: "name", strokeWidth: 1.5}),
                Plot.ruleX([0]),
            ],
        }));
    };

    const drawMovedTrades = () => {
        const scenarios = listed();
        const moved = data.scenarios.trades.filter((trade) => scenarios.some(({i}) => trade.value[i]));
        if (!moved.length) return;
        const cells = moved.flatMap((trade) => scenarios.map(({name, i}) => ({id: trade.id, currency: trade.currency, name, value: trade.value[i]})));
        const most = d3.max(cells, (d) => Math.abs(d.value));
        show("chart-trades", plot({
            width: Math.min(ROOM, 160 + 90 * scenarios.length),
            height: 140 + 18 * moved.length,
            marginLeft: 130,
            marginBottom: 130,
            x: {label: null, domain: scenarios.map((d) => d.name), padding: 0, tickRotate: -45, tickSize: 0, tickFormat: (name) => short(name, 24)},
            y: {label: null, domain: moved.map((d) => d.id), padding: 0, tickSize: 0, tickFormat: (id) => short(id, 16)},
            marks: [
                Plot.cell(cells, {x: "name", y: "id", fill: (d) => heat(d.value, most), inset: 0.5, title: (d) => `${d.id}\n${d.name}\n${d.value === null ? "none" : exact(d.value)} ${d.currency}`, tip: true}),
            ],
        }));
    };

    const drawPast = () => {
        const past = data.past;
        const values = past.value.filter((value) => value !== null);
        if (values.length < 2) return;
        const lines = past.tails.filter((tail) => tail.var !== null).flatMap((tail, i) => [
            {at: -tail.var, name: `VaR ${d3.format("~g")(100 * tail.confidence)} %`, high: 2 * i},
            {at: -tail.shortfall, name: `ES ${d3.format("~g")(100 * tail.confidence)} %`, high: 2 * i + 1},
        ]);
        show("chart-past", plot({
            height: 320,
            marginTop: 30 + 15 * lines.length,
            x: {label: `profit and loss, ${past.currency} \u2192`, tickFormat: money},
            y: {label: "\u2191 days", grid: true},
            marks: [
                Plot.rectY(values, Plot.binX({y: "count"}, {x: (value) => value, thresholds: Math.min(60, Math.ceil(2 * Math.sqrt(values.length))), fill: "var(--accent)", fillOpacity: 0.55, tip: true})),
                Plot.ruleX(lines, {x: "at", stroke: "var(--bad)", strokeDasharray: (d) => (d.high % 2 ? "2 3" : null)}),
                ...lines.map((line) => Plot.text([line], {x: "at", text: "name", frameAnchor: "top", dy: -16 - 15 * line.high, fill: "var(--bad)"})),
                Plot.ruleY([0]),
            ],
        }));
    };

    const drawTiming = () => {
        const phases = Object.entries(data.seconds).map(([phase, seconds]) => ({phase, seconds}));
        show("chart-timing", plot({
            height: 50 + 24 * phases.length,
            marginLeft: 60,
            marginRight: 70,
            x: {label: "seconds \u2192", grid: true},
            y: {label: null, domain: phases.map((d) => d.phase)},
            marks: [
                Plot.barX(phases, {x: "seconds", y: "phase", fill: "var(--accent)", fillOpacity: 0.7}),
                Plot.text(phases, {x: "seconds", y: "phase", text: (d) => `${d.seconds.toFixed(3)} s`, textAnchor: "start", dx: 4}),
                Plot.ruleX([0]),
            ],
        }));
    };

    drawPrices();
    drawHistogram();
    drawZ();
    drawPrecision();
    if (data.greeks) drawGreeks();
    if (data.scenarios) drawScenarios();
    if (data.scenarios) drawMovedTrades();
    if (data.past) drawPast();
    drawTiming();
})();
