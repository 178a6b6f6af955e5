/* Sorting and filtering of the tables, and the leaves of trades and groups. Markup comes from the page itself alone,
 * which the program escaped: what stands in a <noscript> is made elements of as it stands. */
"use strict";
(() => {
    const make = (tag, properties, ...children) => {
        const element = Object.assign(document.createElement(tag), properties);
        element.append(...children);
        return element;
    };

    const elementsOf = (markup) => {
        const template = document.createElement("template");
        template.innerHTML = markup;
        return template.content;
    };

    /* ---- tables -------------------------------------------------------------------------------------- */

    const STEP = 100; /* rows shown at first */
    const FEW = 20; /* rows that need no filter */

    const numberOf = (cell) => {
        const text = cell ? cell.textContent.replaceAll(",", "") : "";
        const number = parseFloat(text);
        return Number.isNaN(number) ? -Infinity : number;
    };

    /* Shows the rows that hold every word of the filter, up to a limit; says how many there are. The others leave the
     * page, and those in the <noscript> behind the first ones come into it when they are first asked for: ten thousand
     * rows are slow to lay out. */
    const makeView = (table) => {
        const body = table.tBodies[0];
        const rest = table.nextElementSibling;
        const view = {rows: [...body.rows], limit: STEP, words: []};
        let waiting = rest ? Number(rest.dataset.rows) : 0;
        const count = make("span", {});
        count.setAttribute("role", "status");
        const more = make("button", {type: "button", textContent: "Show all"});
        view.load = () => {
            if (waiting) view.rows.push(...elementsOf(rest.textContent).querySelector("tbody").rows);
            waiting = 0;
        };
        view.show = () => {
            const found = view.rows.filter((row) => {
                const text = view.words.length ? row.textContent.toLowerCase() : "";
                return view.words.every((word) => text.includes(word));
            });
            const shown = found.slice(0, view.limit);
            const all = found.length + waiting;
            body.replaceChildren(...shown);
            count.textContent = `${shown.length.toLocaleString("en")} of ${all.toLocaleString("en")} rows`;
            more.hidden = shown.length === all;
        };
        more.onclick = () => {
            view.limit = Infinity;
            view.load();
            view.show();
        };
        if (view.rows.length < FEW) return view;
        const input = make("input", {type: "search", placeholder: "Filter", autocomplete: "off"});
        input.setAttribute("aria-label", `Filter: ${table.caption.textContent}`);
        input.oninput = () => {
            view.words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
            view.load();
            view.show();
        };
        table.parentElement.before(make("div", {className: "controls"}, input, count, more));
        view.show();
        return view;
    };

    const sortBy = (table, view, column, heading) => {
        view.load();
        const numeric = heading.classList.contains("n");
        const sorted = heading.getAttribute("aria-sort");
        const down = sorted === "descending" || (!numeric && !sorted);
        const keyed = view.rows.map((row) => [numeric ? numberOf(row.cells[column]) : row.cells[column].textContent, row]);
        const {compare} = new Intl.Collator("en", {numeric: true});
        keyed.sort(([a], [b]) => (numeric ? (a > b) - (a < b) : compare(a, b)) * (down ? 1 : -1));
        view.rows = keyed.map(([, row]) => row);
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        heading.setAttribute("aria-sort", down ? "ascending" : "descending");
        view.show();
    };

    /* Gives every table of rows alike headings to sort by. */
    const makeTables = (root) => {
        for (const table of root.querySelectorAll(".table > table:not(.facts, .grid)")) {
            const body = table.tBodies[0];
            if (!table.tHead || !body || body.rows.length < 2) continue;
            const pictures = [...body.rows[0].cells].map((cell) => cell.querySelector("svg"));
            const view = makeView(table);
            [...table.tHead.rows[0].cells].forEach((heading, column) => {
                if (pictures[column] || !heading.textContent) return;
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
    };

    makeTables(document);

    /* ---- leaves -------------------------------------------------------------------------------------- */

    const leaves = document.getElementById("leaves");
    let leaf = null; /* that is shown */

    /* Shows the leaf that the address names, or none. */
    const openLeaf = () => {
        if (leaf) leaf.remove();
        leaf = null;
        const id = location.hash.slice(1);
        if (!leaves || !/^(trade|group)-[\w.~=-]+$/.test(id)) return;
        const text = leaves.textContent;
        const from = text.indexOf(`<section class="leaf" id="${id}">`);
        if (from < 0) return;
        leaf = elementsOf(text.slice(from, text.indexOf("</section>", from) + 10)).firstElementChild;
        leaf.classList.add("shown");
        leaves.before(leaf);
        makeTables(leaf);
        leaf.tabIndex = -1;
        leaf.focus({preventScroll: true});
        leaf.scrollIntoView();
    };

    window.addEventListener("hashchange", openLeaf);
    openLeaf();
})();
