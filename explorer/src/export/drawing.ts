/** A picture as SVG text, in the colours of the present theme; only attributes, so that every program reads it. */

import { bandOf } from "../components/confidence-bar";

export interface Palette {
  background: string;
  ink: string;
  muted: string;
  line: string;
  accent: string;
  strong: string;
  good: string;
  fair: string;
  weak: string;
  /** Colours of compared words, in their order. */
  words: string[];
}

/** The theme's colours as the browser computes them. */
export function themePalette(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const palette = {
    background: colour("surface"),
    ink: colour("ink"),
    muted: colour("muted"),
    line: colour("line"),
    accent: colour("accent"),
    strong: colour("strong"),
    good: colour("good"),
    fair: colour("fair"),
    weak: colour("weak"),
    words: [1, 2, 3, 4, 5, 6].map((place) => colour(`word-${place}`)),
  };
  probe.remove();
  return palette;
}

const escapeXml = (value: string): string =>
  value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

interface TextStyle {
  size?: number;
  fill?: string;
  anchor?: "start" | "middle" | "end";
  bold?: boolean;
}

export class Drawing {
  private readonly parts: string[] = [];

  constructor(
    readonly width: number,
    readonly height: number,
    readonly palette: Palette,
  ) {}

  text(x: number, y: number, content: string, style: TextStyle = {}): void {
    const { size = 14, fill = this.palette.ink, anchor = "start", bold = false } = style;
    this.parts.push(
      `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" text-anchor="${anchor}"` +
        `${bold ? ' font-weight="600"' : ""}>${escapeXml(content)}</text>`,
    );
  }

  rect(x: number, y: number, width: number, height: number, fill: string, radius = 0): void {
    const wide = Math.max(0, width).toFixed(1);
    this.parts.push(`<rect x="${x}" y="${y}" width="${wide}" height="${height}" rx="${radius}" fill="${fill}"/>`);
  }

  path(d: string, stroke: string, width = 1): void {
    this.parts.push(`<path d="${d}" fill="none" stroke="${stroke}" stroke-width="${width}"/>`);
  }

  /** A bar from 0 to 1 with its track. */
  bar(x: number, y: number, width: number, value: number): void {
    this.rect(x, y, width, 8, this.palette.line, 4);
    this.rect(x, y, width * Math.min(1, Math.max(0.03, value)), 8, this.palette[bandOf(value)], 4);
  }

  toString(): string {
    const { width, height } = this;
    return (
      `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"` +
      ` font-family="system-ui, sans-serif"><rect width="${width}" height="${height}" fill="${this.palette.background}"/>` +
      `${this.parts.join("")}</svg>\n`
    );
  }
}

/** A PNG of an SVG text, at twice its size. */
export async function toPng(svg: string): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width * 2;
    canvas.height = image.height * 2;
    canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error("The picture is too large."))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}
