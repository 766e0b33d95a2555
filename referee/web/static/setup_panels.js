// What each step of the set-up shows: blocks, each built anew only when its own value has changed.

import { draw, labels, make } from "./page.js";

const text = (name, ...parts) => parts.reduce((words, part) => words.replace("{}", part), labels[name]);
const percent = (share, digits = 0) => `${(100 * share).toFixed(digits)} %`;

function button(words, act, className = "") {
  const made = make("button", className, words);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

const buttons = (...made) => make("div", "buttons", ...made.filter(Boolean));
const still = (id, build) => ({ id, value: 0, build });
const how = (words) => ({ id: "how", value: words, build: () => [make("p", "how", words)] });

/** Figures side by side: name, value, whether it is as it should be. */
function figures(rows) {
  return make(
    "dl",
    "figures",
    ...rows.map(([name, value, good]) =>
      make("div", good === undefined ? "" : good ? "good" : "no", make("dt", "", name), make("dd", "", value)),
    ),
  );
}

function bar(share) {
  const made = make("progress", "");
  made.max = 1;
  made.value = share;
  return made;
}

function field(name, value, type = "text") {
  const input = make("input", "");
  input.type = type;
  input.value = value;
  if (type === "number") {
    input.inputMode = "decimal";
    input.step = "any";
  } else {
    input.maxLength = 64;
    input.autocapitalize = "words";
  }
  return { input, label: make("label", "field", make("span", "", name), input) };
}

// -- players and cards

function deck(step, send) {
  const build = () => {
    const names = make("div", "names");
    const add = (value) => {
      const { label } = field(text("player-n", names.children.length + 1), value);
      names.append(label);
    };
    (step.players.length ? step.players : ["", "", ""]).forEach(add);
    const list = make("div", "choices");
    list.setAttribute("role", "radiogroup");
    list.setAttribute("aria-label", labels["which-deck"]);
    for (const one of step.decks) {
      const input = make("input", "");
      input.type = "radio";
      input.name = "deck";
      input.value = one.id;
      input.checked = one.id === step.deck || (!step.deck && step.decks[0] === one);
      list.append(make("label", "mark", input, `${one.name} (${text("cards-count", one.cards)})`));
    }
    const keep = () => {
      const players = [...names.querySelectorAll("input")].map((input) => input.value.trim()).filter(Boolean);
      const chosen = list.querySelector("input:checked");
      send({ do: "people", players, deck: chosen ? chosen.value : "-" });
    };
    const change = (more) => {
      if (more && names.children.length < step.most_players) add("");
      if (!more && names.children.length > 2) names.lastElementChild.remove();
    };
    return [
      names,
      buttons(
        button(labels["more-players"], () => change(true), "quiet"),
        button(labels["fewer-players"], () => change(false), "quiet"),
      ),
      make("h3", "", labels["which-deck"]),
      list,
      buttons(button(labels.keep, keep), button(labels["own-deck"], () => send({ do: "open", step: "cards" }), "quiet")),
    ];
  };
  return [how(labels["how-deck"]), { id: "people", value: [step.players, step.deck, step.decks], build }];
}

function cards(step, send) {
  const ask = () => {
    if (step.hand) {
      return [
        make("p", "said", `${step.hand.id}: ${text("looks", Math.min(step.hand.looks + 1, step.hand.of), step.hand.of)}`),
        buttons(
          button(labels.take, () => send({ do: "take" })),
          button(labels["leave-card"], () => send({ do: "leave" }), "quiet"),
        ),
      ];
    }
    const { input, label } = field(labels["card-name"], "");
    input.autocapitalize = "none";
    input.placeholder = step.legal;
    return [label, buttons(button(labels["next-card"], () => send({ do: "card", id: input.value.trim() || "-" })))];
  };
  return [
    how(labels["how-cards"]),
    { id: "alone", value: step.alone, build: () => [make("p", step.alone ? "good" : "calm", labels[step.alone ? "alone" : "not-alone"])] },
    { id: "why", value: step.why, build: () => (step.why ? [make("p", "no", step.why)] : []) },
    { id: "ask", value: [step.hand, step.legal], build: ask },
    {
      id: "have",
      value: [step.cards, step.deck],
      build: () => (step.deck ? [make("p", "calm", `${labels.enrolled} (${step.deck}): ${step.cards.join(", ")}`)] : []),
    },
    still("back", () => [buttons(button(labels["back-to-deck"], () => send({ do: "open", step: "deck" }), "quiet"))]),
  ];
}

// -- lens

function camera(step, send) {
  const solved = step.solved;
  const measure = () => {
    const { input, label } = field(labels.ruler, "", "number");
    return [label, buttons(button(labels.check, () => send({ do: "measured", mm: Number(input.value) }), "quiet"))];
  };
  const advice = () => {
    if (solved) return [make("p", "good", text("lens-good", solved.held_out_px, solved.worst_px, solved.field_deg))];
    const words = step.last ? step.last.advice : (step.wanting[0] ?? "");
    const made = [make("p", step.last && !step.last.kept ? "advice" : "advice good", words)];
    if (step.last && !step.last.kept && step.wanting.length) made.push(make("p", "said", step.wanting[0]));
    if (step.why) made.unshift(make("p", "no", step.why));
    return made;
  };
  const progress = () => {
    const leaning = Object.entries(step.leans).map(([side, count]) =>
      make("li", count >= step.leans_wanted ? "good" : "", `${labels[`lean-${side}`]} ${Math.min(count, step.leans_wanted)}/${step.leans_wanted}`),
    );
    return [
      figures([
        [labels["pictures-taken"], `${step.taken}/${step.wanted}`, step.taken >= step.wanted || undefined],
        [labels.covered, percent(step.coverage), step.missing.length === 0 || undefined],
      ]),
      make("ul", "leans", ...leaning),
    ];
  };
  const newest = () => {
    if (!step.last || step.last.blur_px === null) return [];
    return [
      figures([
        [labels.sharpness, `${step.last.blur_px.toFixed(1)} px`],
        [labels.tilt, `${Math.round(step.last.tilt_deg)}°`],
        [labels.burnt, percent(step.last.burnt)],
      ]),
    ];
  };
  return [
    how(labels["how-camera"]),
    { id: "advice", value: [solved, step.last?.advice, step.last?.kept, step.wanting[0], step.why], build: advice },
    { id: "progress", value: [step.taken, step.coverage, step.leans, step.missing], build: progress },
    { id: "newest", value: solved ? null : step.last, build: () => (solved ? [] : newest()) },
    {
      id: "do",
      value: [Boolean(solved), step.can_solve, step.taken > 0],
      build: () => [
        buttons(
          solved && button(labels.keep, () => send({ do: "keep" })),
          step.can_solve && button(labels.solve, () => send({ do: "solve" })),
          step.taken > 0 && button(labels.again, () => send({ do: "again" }), "quiet"),
        ),
      ],
    },
    still("ruler", measure),
  ];
}

// -- table (what is drawn over the picture is in setup_table.js)

function table(step, send) {
  const way = () => [
    buttons(
      ...["mat", "corners"].map((one) => {
        const made = button(labels[`by-${one}`], () => send({ do: "by", way: one }), step.by === one ? "" : "quiet");
        made.setAttribute("aria-pressed", String(step.by === one));
        return made;
      }),
    ),
  ];
  const found = () => {
    if (!step.seen) {
      if (step.by === "corners" && !step.why) return [];
      return [make("p", step.why ? "no" : "calm", step.why ?? labels["seen-no"])];
    }
    const rows = [
      [labels["camera-height"], `${step.height_cm} cm`],
      [labels["off-vertical"], `${step.lean_deg}°`],
    ];
    if (step.card) {
      const need = step.card.need_px === null ? "" : ` (${text("needs", step.card.need_px)})`;
      rows.push([labels["card-pixels"], `${step.card.have_px} px${need}`, step.card.enough]);
    }
    return [
      make("p", "good", labels["seen-yes"]),
      figures(rows),
      ...step.problems.map((problem) => make("p", "no", problem)),
    ];
  };
  return [
    how(step.by === "mat" ? labels["how-table"] : labels["how-corners"]),
    { id: "way", value: step.by, build: way },
    { id: "found", value: [step.seen, step.by, step.why, step.height_cm, step.lean_deg, step.card, step.problems], build: found },
    { id: "hints", value: [step.lens_known, step.players.length], build: () => [
      ...(step.lens_known ? [] : [make("p", "calm", labels["lens-unknown"])]),
      ...(step.players.length ? [] : [make("p", "no", labels["who-first"])]),
    ] },
    {
      id: "do",
      value: [step.seen, step.players.length > 0],
      build: () => [
        buttons(
          step.seen && button(labels.keep, () => send({ do: "keep" })),
          step.seen && step.players.length > 0 && button(labels["lay-out"], () => send({ do: "lay-out" }), "quiet"),
        ),
      ],
    },
  ];
}

// -- light, totem, time, speaker

function light(step, send) {
  const found = () => {
    if (step.taking) return [bar(step.share)];
    if (step.why) return [make("p", "no", step.why)];
    if (!step.found) return [];
    const { good, problems, brightness, flicker, drift } = step.found;
    return [
      ...(good ? [make("p", "good", labels["light-good"])] : problems.map((problem) => make("p", "no", problem))),
      figures([
        [labels.brightness, `${brightness}`],
        [labels.flicker, percent(flicker, 1)],
        [labels.drift, percent(drift, 1)],
      ]),
    ];
  };
  return [
    how(labels["how-light"]),
    { id: "found", value: step, build: found },
    {
      id: "do",
      value: [step.taking, Boolean(step.found)],
      build: () => [
        buttons(
          step.found && button(labels.keep, () => send({ do: "keep" })),
          !step.taking && button(labels.look, () => send({ do: "look" }), step.found ? "quiet" : ""),
        ),
      ],
    },
  ];
}

function rings(step) {
  const wide = 40;
  const high = 16;
  const count = step.rings.length;
  const sectors = step.rings[0].length;
  const drawing = draw("svg", { class: "rings", viewBox: `0 0 ${sectors * wide} ${count * high}`, role: "img", "aria-label": labels["step-totem"] });
  const broken = new Set([...(step.found?.dead ?? []), ...(step.found?.joined ?? []).flat()]);
  step.rings.forEach((ring, row) =>
    ring.forEach((felt, sector) => {
      const place = { x: sector * wide + 1, y: (count - 1 - row) * high + 1, width: wide - 2, height: high - 2, rx: 3 };
      drawing.append(draw("rect", { ...place, class: broken.has(row * sectors + sector) ? "pad broken" : "pad" }));
      if (felt > 0.01) drawing.append(draw("rect", { ...place, class: "felt", "fill-opacity": felt }));
    }),
  );
  return drawing;
}

function totem(step, send) {
  const words = () => {
    const made = [make("p", "said", step.stage === "players" ? text("totem-players", step.players.join(", ")) : labels[`totem-${step.stage}`])];
    if (step.problem) made.unshift(make("p", "no", step.problem));
    if (step.why) made.push(make("p", "no", step.why));
    return made;
  };
  const found = () => {
    if (!step.found) return [];
    const { problems, finger, hand, noise, near } = step.found;
    const made = problems.length ? problems.map((problem) => make("p", "no", problem)) : [make("p", "good", labels["totem-good"])];
    made.push(figures([[labels.finger, finger], [labels.hand, hand], [labels.noise, noise], [labels["near-from"], near]]));
    if (step.grips) {
      const { swapped, silent } = step.grips;
      if (swapped.length) made.push(make("p", "no", text("pads-swapped", swapped.join(", "))));
      if (silent.length) made.push(make("p", "no", text("pads-silent", silent.join(", "))));
      if (!swapped.length && !silent.length) made.push(make("p", "good", labels["pads-good"]));
    }
    return made;
  };
  return [
    how(labels["how-totem"]),
    { id: "words", value: [step.stage, step.problem, step.why, step.players], build: words },
    { id: "run", value: step.running ? step.left_s : null, build: () => (step.running ? [bar(step.share), make("p", "calm", text("seconds-left", Math.ceil(step.left_s)))] : []) },
    {
      id: "do",
      value: [step.running, step.stage, Boolean(step.why), step.players.length > 0, Boolean(step.found)],
      build: () => [
        buttons(
          step.found && !step.running && button(labels.keep, () => send({ do: "keep" })),
          !step.running && step.stage !== "done" && step.stage !== "players" &&
            button(labels[step.why ? "try-again" : "go"], () => send({ do: "go" })),
          step.found && !step.running && step.players.length > 0 && button(labels["each-player"], () => send({ do: "players" }), "quiet"),
          !step.running && step.stage !== "rest" && button(labels.again, () => send({ do: "again" }), "quiet"),
        ),
      ],
    },
    { id: "rings", value: [step.rings, step.found?.dead], build: () => (step.rings ? [rings(step)] : []) },
    { id: "found", value: [step.found, step.grips], build: found },
  ];
}

function time(step, send) {
  const found = () => {
    if (step.share !== null) return [bar(step.share)];
    if (!step.found) return [];
    const { offset_ms: offset, error_ms: error, drift_ppm: drift } = step.found;
    return [make("p", "good", `${labels.offset} ${offset} ms (± ${error} ms; ${drift} ppm)`)];
  };
  return [
    how(text("how-time", step.seconds)),
    { id: "found", value: [step.share, step.found], build: found },
    {
      id: "do",
      value: [step.share === null, Boolean(step.found), step.live],
      build: () =>
        step.live
          ? [
              buttons(
                step.found && button(labels.keep, () => send({ do: "keep" })),
                step.share === null && button(labels.blink, () => send({ do: "go" }), step.found ? "quiet" : ""),
              ),
            ]
          : [make("p", "no", labels["not-live"])],
    },
  ];
}

function speaker(step, send) {
  const asked = () => {
    if (!step.played || step.playing) return [];
    return [
      make("p", "said", `“${step.played.phrase}”`),
      make("p", "ask", labels["was-heard"]),
      buttons(
        button(labels.heard, () => send({ do: "heard", yes: true })),
        button(labels["not-heard"], () => send({ do: "heard", yes: false }), "quiet"),
      ),
    ];
  };
  const language = document.body.dataset.language;
  return [
    how(labels["how-speaker"]),
    { id: "asked", value: [step.played, step.playing], build: asked },
    {
      id: "do",
      value: [step.playing, Boolean(step.played)],
      build: () => [buttons(!step.playing && button(labels.play, () => send({ do: "play", language }), step.played ? "quiet" : ""))],
    },
  ];
}

export const panels = { deck, cards, camera, table, light, totem, time, speaker };
