/** The frame around the views: navigation, the choice of the model, the theme, messages. */

import { useCallback, useEffect, useMemo, useState } from "preact/hooks";

import { api } from "./api/client";
import type { ServerReply } from "./api/types";
import { Icon, type IconName } from "./components/icon";
import { EmptyState, ErrorState, Loading } from "./components/states";
import { Toast, type ToastMessage } from "./components/toast";
import { ExplorerContext, useExplorer, type Explorer } from "./state/explorer";
import { formatRoute, type Route, type View } from "./state/route";
import { applyTheme, storedTheme, THEMES, type Theme } from "./state/theme";
import { useRequest } from "./state/use-request";
import { useRoute, type Change } from "./state/use-route";
import { AskView } from "./views/ask-view";
import { CompareView } from "./views/compare-view";
import { ModelsView } from "./views/models-view";
import { TopicsView } from "./views/topics-view";
import { TreeView } from "./views/tree-view";

const PAGES: readonly { view: View; title: string; icon: IconName; component: () => preact.JSX.Element }[] = [
  { view: "ask", title: "Ask", icon: "ask", component: AskView },
  { view: "tree", title: "Tree", icon: "tree", component: TreeView },
  { view: "compare", title: "Compare words", icon: "compare", component: CompareView },
  { view: "topics", title: "Topics", icon: "topics", component: TopicsView },
  { view: "models", title: "Compare models", icon: "models", component: ModelsView },
];

export function App() {
  const [attempt, setAttempt] = useState(0);
  const request = useRequest(`server ${attempt}`, api.server);
  if (request.state === "failed") {
    return (
      <main class="alone">
        <ErrorState error={request.error} retry={() => setAttempt(attempt + 1)} />
      </main>
    );
  }
  if (request.state !== "ready") {
    return (
      <main class="alone">
        <Loading label="Opening the models" />
      </main>
    );
  }
  if (!request.value.models.length) {
    return (
      <main class="alone">
        <EmptyState icon="question" title="No model is served">
          <p>
            Start the server with one: <code>hyperdive serve MODEL</code>
          </p>
        </EmptyState>
      </main>
    );
  }
  return <Shell server={request.value} />;
}

function Shell({ server }: { server: ServerReply }) {
  const [route, replace] = useRoute();
  const [message, setMessage] = useState<ToastMessage | null>(null);
  const explorer = useMemo(() => explorerOf(server, route, replace, setMessage), [server, route, replace]);
  const page = PAGES.find(({ view }) => view === route.view) ?? PAGES[0]!;
  const Page = page.component;
  const closeMessage = useCallback(() => setMessage(null), []);
  useEffect(() => {
    const about = route.parameters["term"] ?? route.parameters["root"] ?? route.parameters["terms"];
    document.title = `${about && about.length < 60 ? `${about} · ` : ""}${page.title} · hyperdive`;
  }, [route]);
  return (
    <ExplorerContext.Provider value={explorer}>
      <button type="button" class="skip" onClick={() => document.getElementById("main")?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <a class="brand" href={explorer.hrefTo("ask")} aria-label="hyperdive, start">
          <img src="./icon.svg" alt="" width="28" height="28" />
          <span>hyperdive</span>
        </a>
        <nav class="views" aria-label="Views">
          {PAGES.map(({ view, title, icon }) => (
            <a key={view} href={explorer.hrefTo(view)} aria-current={view === route.view ? "page" : undefined}>
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          ))}
        </nav>
        <div class="top-end">
          <ModelPicker />
          <ThemeButton />
        </div>
      </header>
      <main id="main" class={`view view-${route.view}`} tabIndex={-1}>
        <Page key={`${route.view} ${explorer.model.name}`} />
      </main>
      <Toast message={message} onClose={closeMessage} />
    </ExplorerContext.Provider>
  );
}

function explorerOf(
  server: ServerReply,
  route: Route,
  replace: (change: Change) => void,
  notify: Explorer["notify"],
): Explorer {
  const { parameters } = route;
  const model = server.models.find(({ name }) => name === parameters["model"]) ?? server.models[0]!;
  const hrefTo = (view: View, change: Change = {}) =>
    formatRoute(view, { model: model === server.models[0] ? undefined : model.name, ...change });
  const go = (view: View, change: Change = {}) => {
    location.hash = hrefTo(view, change);
  };
  return { server, model, parameters, replace, hrefTo, go, notify };
}

function ModelPicker() {
  const { server, model, parameters, replace } = useExplorer();
  if (server.models.length === 1) {
    return (
      <span class="model-name" title={`${model.words.toLocaleString("en")} words, ${model.terms.toLocaleString("en")} terms`}>
        {model.name}
      </span>
    );
  }
  return (
    <label class="model-picker">
      <span class="visually-hidden">Model</span>
      <select
        class="input"
        value={model.name}
        onChange={(event) => replace({ ...parameters, model: event.currentTarget.value })}
      >
        {server.models.map(({ name }) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

const THEME_ICONS: Record<Theme, IconName> = { system: "system", light: "sun", dark: "moon" };

function ThemeButton() {
  const [theme, setTheme] = useState(storedTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  const label = `Theme: ${theme}; change to ${next}`;
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      onClick={() => {
        applyTheme(next);
        setTheme(next);
      }}
    >
      <Icon name={THEME_ICONS[theme]} />
    </button>
  );
}
