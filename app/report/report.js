/* Sorting and filtering of the tables. Texts reach the page as text alone, never as markup. */
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
})();
