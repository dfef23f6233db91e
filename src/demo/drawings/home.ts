import type { Motif } from './scene.ts'

/** Things of the house, the shelf and the ear. */

export const lamp = (light: number): Motif => {
  return ({ dark, accent, main }) =>
    `<circle cx="200" cy="160" r="150" fill="url(#glow)" opacity="${light}"/>
     <rect x="193" y="190" width="14" height="92" fill="${dark}"/>
     <path d="M200 232 c34 0 46 26 46 48 c0 26 -18 42 -46 42 s-46 -16 -46 -42 c0 -22 12 -48 46 -48 Z" fill="url(#main)"/>
     <path d="M158 270 q42 22 84 0" fill="none" stroke="${accent}" stroke-width="6"/>
     <path d="M152 96 h96 l38 100 h-172 Z" fill="url(#accent)"/><path d="M152 96 h96 l38 100 h-172 Z" fill="#fff4c9" opacity="${light * 0.55}"/>
     <path d="M146 112 h108 M120 182 h160" stroke="${main}" stroke-width="4" opacity=".6"/>`
}

export const pendant: Motif = ({ dark, accent, light }) => {
  const weave = Array.from(
    { length: 9 },
    (_, index) =>
      `<path d="M${200 + (index - 4) * 9} 130 C${200 + (index - 4) * 27} 165 ${200 + (index - 4) * 31} 240 ${200 + (index - 4) * 22} 282" fill="none" stroke="${light}" stroke-width="3" opacity=".8"/>`,
  ).join('')
  return `<circle cx="200" cy="225" r="160" fill="url(#glow)" opacity=".8"/><path d="M200 0 v120" stroke="${dark}" stroke-width="5"/>
    <rect x="184" y="112" width="32" height="22" rx="5" fill="${dark}"/>
    <path d="M166 132 h68 C330 170 320 250 288 282 h-176 C80 250 70 170 166 132 Z" fill="url(#main)" opacity=".95"/>${weave}
    <path d="M94 216 q106 34 212 0" fill="none" stroke="${light}" stroke-width="4"/>
    <ellipse cx="200" cy="282" rx="88" ry="12" fill="${dark}"/><circle cx="200" cy="288" r="24" fill="#fff0b8"/><circle cx="200" cy="288" r="11" fill="${accent}"/>`
}

export const lantern: Motif = ({ dark, accent, main }) => {
  const panes = [0, 1, 2]
    .map(
      (index) =>
        `<path d="M${138 + index * 44} 296 v-96 a18 18 0 0 1 36 0 v96 Z" fill="${index === 1 ? '#fff0b8' : accent}" opacity="${index === 1 ? 1 : 0.75}"/>`,
    )
    .join('')
  return `<circle cx="200" cy="240" r="150" fill="url(#glow)" opacity=".75"/>
    <circle cx="200" cy="84" r="19" fill="none" stroke="${dark}" stroke-width="8"/>
    <path d="M200 100 c14 30 60 44 76 66 h-152 c16 -22 62 -36 76 -66 Z" fill="url(#main)"/>
    <rect x="122" y="164" width="156" height="142" rx="6" fill="url(#deep)"/>${panes}
    <rect x="112" y="302" width="176" height="20" rx="7" fill="url(#main)"/>
    <path d="M200 232 c14 18 12 34 0 40 c-12 -6 -14 -22 0 -40 Z" fill="#f08b2c"/><rect x="192" y="272" width="16" height="24" fill="${main}"/>`
}

export const candle: Motif = ({ dark, accent }) =>
  `<circle cx="200" cy="130" r="110" fill="url(#glow)"/>
   <path d="M200 92 c22 28 18 50 0 58 c-18 -8 -22 -30 0 -58 Z" fill="#f6a32d"/><path d="M200 114 c9 14 8 24 0 29 c-8 -5 -9 -15 0 -29 Z" fill="#fff4c9"/>
   <rect x="198" y="146" width="4" height="22" fill="#443"/>
   <path d="M134 178 h132 v128 a16 16 0 0 1 -16 16 h-100 a16 16 0 0 1 -16 -16 Z" fill="url(#main)"/>
   <ellipse cx="200" cy="178" rx="66" ry="15" fill="${dark}"/><ellipse cx="200" cy="180" rx="57" ry="11" fill="#fff7e2"/>
   <rect x="152" y="222" width="96" height="62" rx="7" fill="#fffaf0"/><path d="M200 276 c-26 -14 -26 -36 0 -46 c26 10 26 32 0 46 Z" fill="${accent}"/>
   <path d="M200 274 v-38" stroke="${dark}" stroke-width="3"/>`

export const vase: Motif = ({ dark, accent, light }) => {
  const stem = (x: number, y: number, colour: string) =>
    `<path d="M200 190 Q${(200 + x) / 2 + 8} ${(190 + y) / 2} ${x} ${y}" fill="none" stroke="#5e8a4a" stroke-width="5"/>
     <ellipse cx="${(200 + x) / 2 + 12}" cy="${(190 + y) / 2}" rx="16" ry="7" fill="#7aa862" transform="rotate(-30 ${(200 + x) / 2 + 12} ${(190 + y) / 2})"/>
     ${[0, 72, 144, 216, 288].map((turn) => `<ellipse cx="${x}" cy="${y - 15}" rx="10" ry="15" fill="${colour}" transform="rotate(${turn} ${x} ${y})"/>`).join('')}
     <circle cx="${x}" cy="${y}" r="9" fill="#fbe39a"/>`
  return `${stem(140, 92, accent)}${stem(262, 104, light)}${stem(204, 66, accent)}
    <path d="M168 178 h64 c-4 30 52 50 52 96 c0 34 -28 48 -48 48 h-72 c-20 0 -48 -14 -48 -48 c0 -46 56 -66 52 -96 Z" fill="url(#main)"/>
    <ellipse cx="200" cy="179" rx="32" ry="7" fill="${dark}"/><path d="M126 250 q74 28 148 0 M120 276 q80 30 160 0" fill="none" stroke="${accent}" stroke-width="5"/>
    <path d="M146 244 c-10 14 -12 34 -4 50" fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round" opacity=".45"/>`
}

const lozenges = (colour: string, other: string) =>
  [0, 1, 2, 3, 4]
    .map(
      (index) =>
        `<path d="M${112 + index * 44} 222 l22 -30 l22 30 l-22 30 Z" transform="translate(-22 0)" fill="${index % 2 ? colour : other}"/>`,
    )
    .join('')

export const cushion: Motif = ({ dark, accent, light }) =>
  `<path d="M88 132 Q200 152 312 132 Q296 222 312 312 Q200 294 88 312 Q104 222 88 132 Z" fill="url(#main)"/>
   <path d="M100 178 Q200 190 300 178 M100 268 Q200 254 300 268" fill="none" stroke="${light}" stroke-width="6"/>${lozenges(accent, light)}
   ${[
     [88, 132],
     [312, 132],
     [88, 312],
     [312, 312],
   ]
     .map(
       ([x, y]) =>
         `<circle cx="${x}" cy="${y}" r="10" fill="${accent}"/><path d="M${x} ${y} v20" stroke="${dark}" stroke-width="3"/>`,
     )
     .join('')}`

export const rug: Motif = ({ dark, accent, light, main }) => {
  const fringe = Array.from(
    { length: 23 },
    (_, index) =>
      `<path d="M${68 + index * 12} 128 v-18 M${68 + index * 12} 306 v18" stroke="${light}" stroke-width="4"/>`,
  ).join('')
  const bands = [140, 272]
    .map(
      (y) =>
        `<path d="M70 ${y} l13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12 13 12 13 -12" fill="none" stroke="${accent}" stroke-width="6"/>`,
    )
    .join('')
  return `${fringe}<rect x="60" y="124" width="280" height="186" rx="4" fill="url(#main)"/><rect x="72" y="166" width="256" height="98" fill="${dark}"/>
    ${bands}${[0, 1, 2].map((index) => `<path d="M${116 + index * 84} 172 l36 43 l-36 43 l-36 -43 Z" fill="${accent}"/><path d="M${116 + index * 84} 190 l20 25 l-20 25 l-20 -25 Z" fill="${light}"/><circle cx="${116 + index * 84}" cy="215" r="8" fill="${main}"/>`).join('')}`
}

export const throwBlanket: Motif = ({ dark, accent, light }) =>
  `<path d="M84 236 h232 a16 16 0 0 1 16 16 v54 a16 16 0 0 1 -16 16 H84 a16 16 0 0 1 -16 -16 v-54 a16 16 0 0 1 16 -16 Z" fill="url(#deep)"/>
   <path d="M92 186 h216 a16 16 0 0 1 16 16 v38 a16 16 0 0 1 -16 16 H92 a16 16 0 0 1 -16 -16 v-38 a16 16 0 0 1 16 -16 Z" fill="url(#main)"/>
   <path d="M98 140 h204 a16 16 0 0 1 16 16 v30 a16 16 0 0 1 -16 16 H98 a16 16 0 0 1 -16 -16 v-30 a16 16 0 0 1 16 -16 Z" fill="url(#accent)"/>
   <path d="M120 140 v62 M136 140 v62 M264 140 v62 M280 140 v62" stroke="${dark}" stroke-width="4" opacity=".6"/>
   <path d="M120 188 v68 M136 188 v68 M264 188 v68 M280 188 v68" stroke="${light}" stroke-width="4"/>
   <path d="M120 238 v84 M136 238 v84 M264 238 v84 M280 238 v84" stroke="${accent}" stroke-width="4"/>`

export const basket: Motif = ({ dark, accent, light }) => {
  const rows = [0, 1, 2, 3, 4]
    .map(
      (row) =>
        `<path d="M${96 + row * 5} ${216 + row * 21} q${104 - row * 5} 24 ${208 - row * 10} 0" fill="none" stroke="${row === 2 ? accent : light}" stroke-width="9" stroke-dasharray="16 7"/>`,
    )
    .join('')
  return `<path d="M122 196 C122 76 278 76 278 196" fill="none" stroke="${dark}" stroke-width="13"/>
    <path d="M88 194 h224 l-24 112 a18 18 0 0 1 -18 16 h-140 a18 18 0 0 1 -18 -16 Z" fill="url(#main)"/>${rows}
    <rect x="80" y="182" width="240" height="22" rx="11" fill="url(#deep)"/>`
}

export const mirror: Motif = ({ accent, dark }) => {
  const rays = Array.from(
    { length: 24 },
    (_, index) =>
      `<path transform="rotate(${index * 15} 200 200)" d="M192 112 L200 ${index % 2 ? 62 : 78} L208 112 Z" fill="${index % 2 ? 'url(#main)' : accent}"/>`,
  ).join('')
  return `${rays}<circle cx="200" cy="200" r="94" fill="url(#main)"/><circle cx="200" cy="200" r="78" fill="${dark}"/><circle cx="200" cy="200" r="74" fill="url(#glass)"/>
    <path d="M156 222 l58 -68 M176 240 l70 -82" stroke="#fff" stroke-width="10" stroke-linecap="round" opacity=".8"/>`
}

export const clock: Motif = ({ dark, accent, light }) => {
  const hours = Array.from(
    { length: 12 },
    (_, index) =>
      `<rect transform="rotate(${index * 30} 200 200)" x="196" y="98" width="8" height="${index % 3 ? 12 : 22}" rx="3" fill="${index % 3 ? light : accent}"/>`,
  ).join('')
  return `<circle cx="200" cy="200" r="124" fill="url(#main)"/><circle cx="200" cy="200" r="108" fill="#fffaf0"/>${hours}
    <path d="M200 200 L152 158" stroke="${dark}" stroke-width="10" stroke-linecap="round"/><path d="M200 200 L252 150" stroke="${dark}" stroke-width="6" stroke-linecap="round"/>
    <path d="M200 200 L214 278" stroke="${accent}" stroke-width="3"/><circle cx="200" cy="200" r="9" fill="${accent}"/>`
}

export const apron: Motif = ({ dark, accent, light }) =>
  `<path d="M150 132 C150 56 250 56 250 132" fill="none" stroke="${dark}" stroke-width="9"/>
   <path d="M146 128 h108 c0 46 24 56 48 66 v118 a10 10 0 0 1 -10 10 H108 a10 10 0 0 1 -10 -10 V194 c24 -10 48 -20 48 -66 Z" fill="url(#main)"/>
   <path d="M98 204 h-34 M302 204 h34" stroke="${dark}" stroke-width="9" stroke-linecap="round"/>
   <path d="M146 226 h108 v38 a26 26 0 0 1 -26 26 h-56 a26 26 0 0 1 -26 -26 Z" fill="url(#deep)"/><path d="M146 232 h108" stroke="${accent}" stroke-width="6"/>
   <path d="M152 150 q48 14 96 0" fill="none" stroke="${light}" stroke-width="4" stroke-dasharray="7 6"/>`

export const book: Motif = ({ dark, light }) =>
  `<path d="M116 92 h168 a12 12 0 0 1 12 12 v206 a12 12 0 0 1 -12 12 H116 Z" fill="${dark}"/>
   <path d="M112 96 h168 v216 H112 Z" fill="#fffaf0"/><path d="M112 304 h168 M112 296 h168" stroke="${light}" stroke-width="2"/>
   <path d="M104 84 h176 a8 8 0 0 1 8 8 v200 H104 Z" fill="url(#main)"/><rect x="104" y="84" width="24" height="208" fill="${dark}" opacity=".55"/>
   <circle cx="208" cy="170" r="48" fill="url(#accent)"/><path d="M184 178 c0 -26 48 -26 48 0 c0 18 -14 24 -24 24 s-24 -6 -24 -24 Z M176 178 h64" fill="${dark}" stroke="${dark}" stroke-width="4"/>
   <rect x="160" y="240" width="98" height="9" rx="4" fill="${light}"/><rect x="176" y="258" width="66" height="7" rx="3" fill="${light}" opacity=".7"/>`

export const record: Motif = ({ dark, accent, main, light }) =>
  `<circle cx="238" cy="206" r="104" fill="#17181d"/>${[94, 82, 70, 58].map((radius) => `<circle cx="238" cy="206" r="${radius}" fill="none" stroke="#3a3c46" stroke-width="2"/>`).join('')}
   <circle cx="238" cy="206" r="34" fill="${accent}"/><circle cx="238" cy="206" r="6" fill="#fff"/>
   <rect x="66" y="98" width="208" height="218" rx="6" fill="url(#main)"/><circle cx="170" cy="196" r="62" fill="${light}" opacity=".5"/>
   <path d="M170 262 c-44 -10 -46 -60 -14 -74 l0 -62 h28 l0 62 c32 14 30 64 -14 74 Z" fill="${dark}"/><rect x="164" y="112" width="12" height="96" fill="${accent}"/>
   <circle cx="170" cy="228" r="14" fill="${main}"/><path d="M167 120 v124 M173 120 v124" stroke="#fff" stroke-width="1.5"/>`
