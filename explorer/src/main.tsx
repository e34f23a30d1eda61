import { render } from "preact";

import { App } from "./app";
import { applyTheme, storedTheme } from "./state/theme";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/components.css";
import "./styles/ask.css";
import "./styles/tree.css";
import "./styles/compare.css";

applyTheme(storedTheme());
render(<App />, document.getElementById("app")!);
