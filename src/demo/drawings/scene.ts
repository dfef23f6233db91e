/** Colours of one drawing. Objects are filled with the gradients that `scene` makes of them. */
export interface Palette {
  wall: string
  floor: string
  main: string
  dark: string
  light: string
  accent: string
}

export const palettes = {
  sea: { wall: '#dcebf5', floor: '#f6efe2', main: '#2f7fb8', dark: '#1b4f78', light: '#8fc7ea', accent: '#f3b43f' },
  clay: { wall: '#f7e3d4', floor: '#e9c8ad', main: '#c8643c', dark: '#8a3f22', light: '#eda27d', accent: '#2f7f86' },
  olive: { wall: '#eef0dc', floor: '#d9d6b4', main: '#7c8b3a', dark: '#4c5722', light: '#b9c676', accent: '#d9793b' },
  sand: { wall: '#f5ecdc', floor: '#dfc9a3', main: '#c9a063', dark: '#8a6732', light: '#efd8ac', accent: '#3d6f8e' },
  rose: { wall: '#fbe6e6', floor: '#efcdc8', main: '#c9596c', dark: '#86324a', light: '#f0a4ac', accent: '#4d7c6f' },
  mint: { wall: '#e0f2ea', floor: '#cfe3d3', main: '#3f9c84', dark: '#226353', light: '#96d6c2', accent: '#e3704f' },
  night: { wall: '#2c3350', floor: '#3b4266', main: '#6a76b8', dark: '#1d2238', light: '#b3bdf0', accent: '#ffd27a' },
  snow: { wall: '#e6e9ee', floor: '#d3d8e0', main: '#f1efe9', dark: '#a9a79f', light: '#ffffff', accent: '#35699c' },
} satisfies Record<string, Palette>

export type PaletteName = keyof typeof palettes

/** Draws a thing that stands around the middle of a square of 400, its foot at 320. */
export type Motif = (palette: Palette) => string

const gradient = (id: string, stops: [number, string][], direction = 'x2="1" y2="0"') =>
  `<linearGradient id="${id}" x1="0" y1="0" ${direction}>${stops
    .map(([offset, colour]) => `<stop offset="${offset}" stop-color="${colour}"/>`)
    .join('')}</linearGradient>`

const paints = ({ main, dark, light, accent, wall, floor }: Palette) =>
  `<defs>
    ${gradient('main', [
      [0, light],
      [0.35, main],
      [1, dark],
    ])}
    ${gradient('deep', [
      [0, main],
      [1, dark],
    ])}
    ${gradient('accent', [
      [0, '#fff3d8'],
      [0.3, accent],
      [1, accent],
    ])}
    ${gradient(
      'floor',
      [
        [0, floor],
        [1, wall],
      ],
      'x2="0" y2="1"',
    )}
    ${gradient('glass', [
      [0, '#ffffff'],
      [0.5, '#dff0f3'],
      [1, '#9cc4cc'],
    ])}
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#fff" stop-opacity=".7"/><stop offset=".6" stop-color="#fff" stop-opacity="0"/></linearGradient>
    <radialGradient id="glow"><stop offset="0" stop-color="#fff4c9"/><stop offset="1" stop-color="#fff4c9" stop-opacity="0"/></radialGradient>
    <radialGradient id="shadow"><stop offset="0" stop-color="#000" stop-opacity=".34"/><stop offset="1" stop-color="#000" stop-opacity="0"/></radialGradient>
  </defs>`

/** A row of glazed tiles, as they line the walls of Tunis. */
const tiles = ({ main, accent, light }: Palette, y: number, size: number) =>
  Array.from({ length: Math.ceil(400 / size) }, (_, column) => {
    const x = column * size
    const half = size / 2
    return `<g transform="translate(${x} ${y})"><rect width="${size - 1}" height="${size - 1}" fill="#fff" opacity=".75"/>
      <path d="M${half} 3 L${size - 4} ${half} L${half} ${size - 4} L3 ${half} Z" fill="${column % 2 ? main : light}" opacity=".55"/>
      <circle cx="${half}" cy="${half}" r="${size / 7}" fill="${accent}" opacity=".8"/></g>`
  }).join('')

const wall = (palette: Palette) =>
  `<rect width="400" height="400" fill="${palette.wall}"/><rect width="400" height="400" fill="url(#sky)" opacity="${palette.wall < '#8' ? 0.15 : 1}"/>`

const backdrops = {
  arch: (palette: Palette) =>
    `${wall(palette)}<path d="M85 300 V165 a115 115 0 0 1 230 0 V300 Z" fill="${palette.main}" opacity=".16"/>
     <path d="M103 300 V168 a97 97 0 0 1 194 0 V300 Z" fill="#fff" opacity="${palette.wall < '#8' ? 0.1 : 0.45}"/>
     <rect y="296" width="400" height="104" fill="url(#floor)"/>`,
  tiles: (palette: Palette) =>
    `${wall(palette)}${tiles(palette, 36, 50)}${tiles(palette, 86, 50)}
     <rect y="136" width="400" height="5" fill="${palette.dark}" opacity=".35"/>
     <rect y="286" width="400" height="114" fill="url(#floor)"/>`,
  plain: ({ main, floor }: Palette) =>
    `<rect width="400" height="400" fill="${floor}"/><circle cx="200" cy="205" r="168" fill="#fff" opacity=".55"/>
     <circle cx="200" cy="205" r="168" fill="none" stroke="${main}" stroke-width="3" opacity=".35"/>`,
}

export type Backdrop = keyof typeof backdrops

/** A whole picture: the wall, a shadow on the table, and the thing itself, `zoom` times as large. */
export const scene = (motif: Motif, palette: Palette, backdrop: Backdrop, size: number, zoom = 1) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 400 400">${paints(palette)}
    ${backdrops[backdrop](palette)}
    <g transform="translate(200 320) scale(${zoom}) translate(-200 -320)">
      <ellipse cx="206" cy="322" rx="128" ry="17" fill="url(#shadow)"/>${motif(palette)}
    </g></svg>`
