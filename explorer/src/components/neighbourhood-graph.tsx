/** A term with what is above and beneath it; lines are as wide and coloured as the confidence. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";

import type { Forest } from "../taxonomy/forest";
import { layNeighbourhood } from "../taxonomy/neighbourhood";

interface NeighbourhoodGraphProps {
  forest: Forest;
  term: string;
  calibrated: boolean;
  onSelect: (term: string) => void;
}

/** A picture that is too wide is drawn smaller, as long as it can be read. */
const LEAST_SCALE = 0.8;

export function NeighbourhoodGraph({ forest, term, calibrated, onSelect }: NeighbourhoodGraphProps) {
  const { width, height, nodes, links, left } = layNeighbourhood(forest, term, calibrated);
  const frame = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  useLayoutEffect(() => {
    const element = frame.current!;
    const focus = nodes.find((node) => node.focus)!;
    const fitting = Math.min(1, Math.max(LEAST_SCALE, element.clientWidth / width));
    setScale(fitting);
    element.scrollLeft = focus.x * fitting - element.clientWidth * 0.3;
    element.scrollTop = focus.y * fitting - element.clientHeight / 2;
  }, [term, scale]);
  return (
    <div ref={frame} class="graph" role="region" aria-label={`Neighbourhood of ${term}`} tabIndex={0}>
      <svg width={width * scale} height={height * scale} viewBox={`0 0 ${width} ${height}`} role="group" aria-label={`${term}, the terms above and beneath it`}>
        {links.map(({ path, width: thick, band }) => (
          <path key={path} class={`graph-link graph-${band}`} d={path} stroke-width={thick} />
        ))}
        {nodes.map(({ term: name, x, y, focus, more }) => (
          <g
            key={name}
            class={focus ? "graph-node graph-focus" : "graph-node"}
            role="button"
            tabindex={0} // as it is written in SVG, where capital letters make another attribute
            aria-label={more ? `${name}, ${more} more beneath` : name}
            onClick={() => onSelect(name)}
            onKeyDown={(event) => {
              if (event.key !== "Enter" && event.key !== " ") return;
              event.preventDefault();
              onSelect(name);
            }}
          >
            <text x={x} y={y + 5}>
              {name}
              {more > 0 && (
                <tspan class="graph-more" dx="6">
                  +{more}
                </tspan>
              )}
            </text>
          </g>
        ))}
      </svg>
      {left > 0 && <p class="muted">{left} more children are in the tree.</p>}
    </div>
  );
}
