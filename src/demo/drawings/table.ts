import type { Motif } from './scene.ts'

/** Things of the kitchen and the table. */

const band = (y: number, x: number, width: number, colour: string, teeth: number) =>
  Array.from({ length: teeth }, (_, index) => {
    const step = width / teeth
    const left = x + index * step
    return `<path d="M${left} ${y} l${step / 2} 14 l${step / 2} -14 Z" fill="${colour}"/>`
  }).join('')

export const mug: Motif = ({ dark, accent }) =>
  `<path d="M262 205 h22 a38 38 0 0 1 0 82 h-30" fill="none" stroke="${dark}" stroke-width="17" stroke-linecap="round"/>
   <path d="M120 180 h150 v105 a36 36 0 0 1 -36 36 h-78 a36 36 0 0 1 -36 -36 Z" fill="url(#main)"/>
   <ellipse cx="195" cy="180" rx="75" ry="17" fill="${dark}"/><ellipse cx="195" cy="183" rx="64" ry="12" fill="#4a2c1a"/>
   ${band(222, 120, 150, accent, 10)}<rect x="120" y="216" width="150" height="5" fill="${accent}"/>
   <path d="M138 205 v80" stroke="#fff" stroke-width="9" stroke-linecap="round" opacity=".35"/>`

export const steam = (phase: number) =>
  [160, 195, 230]
    .map((x, index) => {
      const sway = 14 * Math.sin(phase * 2 * Math.PI + index * 1.7)
      return `<path d="M${x} 165 c${18 + sway} -22 ${-18 - sway} -38 ${sway} -62 c${-14 + sway} -20 ${12 - sway} -30 ${sway / 2} -44"
        fill="none" stroke="#fff" stroke-width="8" stroke-linecap="round" opacity="${0.55 + 0.2 * Math.sin(phase * 2 * Math.PI + index)}"/>`
    })
    .join('')

export const plate: Motif = ({ main, accent, light }) => {
  const petals = Array.from(
    { length: 12 },
    (_, index) =>
      `<path transform="rotate(${index * 30} 200 205)" d="M200 205 C186 168 190 138 200 118 C210 138 214 168 200 205 Z" fill="${index % 2 ? main : accent}" opacity=".85"/>`,
  ).join('')
  const dots = Array.from(
    { length: 24 },
    (_, index) =>
      `<circle transform="rotate(${index * 15} 200 205)" cx="200" cy="91" r="5.5" fill="${index % 2 ? accent : main}"/>`,
  ).join('')
  return `<circle cx="200" cy="205" r="130" fill="url(#main)"/><circle cx="200" cy="205" r="123" fill="#fffaf0"/>
    <circle cx="200" cy="205" r="98" fill="none" stroke="${main}" stroke-width="5"/>${petals}${dots}
    <circle cx="200" cy="205" r="20" fill="${light}"/><circle cx="200" cy="205" r="9" fill="${main}"/>`
}

export const bowl: Motif = ({ dark, accent }) =>
  `<path d="M92 200 h216 c0 70 -44 106 -72 112 v10 h-72 v-10 c-28 -6 -72 -42 -72 -112 Z" fill="url(#main)"/>
   <ellipse cx="200" cy="200" rx="108" ry="24" fill="${dark}"/><ellipse cx="200" cy="203" rx="96" ry="17" fill="#fff6e4"/>
   <path d="M101 236 q99 40 198 0" fill="none" stroke="${accent}" stroke-width="7"/>
   <path d="M112 258 q88 36 176 0" fill="none" stroke="#fff" stroke-width="4" stroke-dasharray="4 10" stroke-linecap="round"/>`

export const tagine: Motif = ({ dark, accent, light }) =>
  `<path d="M88 272 h224 l-20 38 a18 18 0 0 1 -16 12 h-152 a18 18 0 0 1 -16 -12 Z" fill="url(#deep)"/>
   <path d="M104 268 C120 190 176 190 184 112 h32 C224 190 280 190 296 268 Z" fill="url(#main)"/>
   <circle cx="200" cy="100" r="22" fill="url(#accent)"/><ellipse cx="200" cy="270" rx="113" ry="9" fill="${dark}"/>
   <path d="M123 236 q77 26 154 0" fill="none" stroke="${accent}" stroke-width="6"/>
   <path d="M150 205 q50 18 100 0" fill="none" stroke="${light}" stroke-width="5" stroke-dasharray="3 9" stroke-linecap="round"/>`

export const teapot: Motif = ({ dark, accent }) =>
  `<path d="M268 222 C312 212 300 170 338 160 l10 16 C322 186 330 262 268 276 Z" fill="url(#deep)"/>
   <path d="M128 210 C70 200 66 288 132 284" fill="none" stroke="${dark}" stroke-width="15" stroke-linecap="round"/>
   <path d="M200 160 c62 0 84 50 84 86 c0 44 -34 74 -54 76 h-60 c-20 -2 -54 -32 -54 -76 c0 -36 22 -86 84 -86 Z" fill="url(#main)"/>
   <path d="M160 168 c6 -34 74 -34 80 0 Z" fill="url(#deep)"/><circle cx="200" cy="132" r="13" fill="url(#accent)"/>
   <path d="M122 236 q78 30 156 0" fill="none" stroke="${accent}" stroke-width="5"/>
   <path d="M146 200 c-12 18 -14 50 -4 76" fill="none" stroke="#fff" stroke-width="9" stroke-linecap="round" opacity=".4"/>`

const glassAt = (x: number, { main, accent, dark }: Parameters<Motif>[0], scale: number) =>
  `<g transform="translate(${x} 320) scale(${scale}) translate(-200 -320)">
   <path d="M160 190 h80 c0 40 -14 48 -14 70 c0 20 12 30 12 60 h-76 c0 -30 12 -40 12 -60 c0 -22 -14 -30 -14 -70 Z" fill="url(#glass)"/>
   <path d="M162 212 h76 c-2 26 -12 34 -12 50 c0 20 11 28 11 54 h-74 c0 -26 11 -34 11 -54 c0 -16 -10 -24 -12 -50 Z" fill="${main}" opacity=".8"/>
   <path d="M168 240 h64" stroke="${accent}" stroke-width="6"/><path d="M164 300 h72" stroke="${accent}" stroke-width="5" stroke-dasharray="6 6"/>
   <ellipse cx="200" cy="190" rx="40" ry="8" fill="none" stroke="${dark}" stroke-width="2" opacity=".6"/>
   <path d="M206 188 c2 -20 18 -24 26 -18 c-4 12 -16 16 -26 18 Z" fill="#5a9a48"/></g>`

export const glasses: Motif = (palette) =>
  glassAt(118, palette, 0.85) + glassAt(282, palette, 0.85) + glassAt(200, palette, 1.05)

export const pot: Motif = ({ dark, light }) =>
  `<path d="M104 225 h-30 v18 h32 M296 225 h30 v18 h-32" fill="none" stroke="${dark}" stroke-width="13" stroke-linejoin="round"/>
   <path d="M104 205 h192 v92 a24 24 0 0 1 -24 24 h-144 a24 24 0 0 1 -24 -24 Z" fill="url(#main)"/>
   <path d="M96 206 c6 -46 202 -46 208 0 Z" fill="url(#deep)"/><rect x="94" y="202" width="212" height="11" rx="5" fill="${dark}"/>
   <rect x="184" y="146" width="32" height="20" rx="9" fill="url(#accent)"/>
   <path d="M126 228 v66" stroke="${light}" stroke-width="11" stroke-linecap="round" opacity=".6"/>`

export const pan: Motif = ({ dark, accent, light }) =>
  `<rect x="262" y="196" width="122" height="22" rx="11" fill="url(#accent)" transform="rotate(-18 262 207)"/>
   <circle cx="176" cy="226" r="104" fill="${dark}"/><circle cx="176" cy="224" r="96" fill="url(#main)"/>
   <circle cx="176" cy="226" r="80" fill="${dark}" opacity=".88"/>
   <path d="M128 232 c-6 -34 36 -48 56 -34 c34 -10 52 26 34 48 c-12 28 -80 26 -90 -14 Z" fill="#fffdf3"/>
   <circle cx="174" cy="226" r="21" fill="#f6b52d"/><circle cx="168" cy="219" r="6" fill="#ffe7a3"/>
   <path d="M110 190 a78 78 0 0 1 40 -36" fill="none" stroke="${light}" stroke-width="5" stroke-linecap="round"/>
   <circle cx="366" cy="170" r="5" fill="${accent}" opacity=".5"/>`

export const board: Motif = ({ dark, light, accent }) =>
  `<g transform="rotate(-8 200 220)"><rect x="104" y="130" width="176" height="186" rx="26" fill="url(#main)"/>
   <rect x="174" y="80" width="36" height="64" rx="18" fill="url(#main)"/><circle cx="192" cy="100" r="8" fill="${dark}"/>
   <path d="M124 170 q70 -18 136 4 M122 214 q74 20 140 -4 M124 262 q70 -16 136 6" fill="none" stroke="${dark}" stroke-width="2.5" opacity=".45"/>
   <path d="M116 150 v140" stroke="${light}" stroke-width="6" stroke-linecap="round" opacity=".7"/></g>
   <path d="M268 120 l26 4 l-14 120 l-20 -4 Z" fill="#e9eef2"/><path d="M260 240 l20 4 l-9 72 a10 10 0 0 1 -20 -4 Z" fill="${dark}"/>
   <circle cx="168" cy="238" r="30" fill="${accent}"/><circle cx="158" cy="228" r="9" fill="#fff" opacity=".5"/>
   <path d="M168 208 l-10 -12 m10 12 l12 -10" stroke="#4f7d3a" stroke-width="6" stroke-linecap="round"/>`

export const jar: Motif = ({ dark, accent, light }) =>
  `<rect x="132" y="150" width="136" height="171" rx="26" fill="url(#glass)"/>
   <path d="M138 196 q62 -16 124 0 v100 a20 20 0 0 1 -20 20 h-84 a20 20 0 0 1 -20 -20 Z" fill="url(#main)"/>
   <rect x="140" y="112" width="120" height="40" rx="9" fill="url(#deep)"/><rect x="140" y="124" width="120" height="5" fill="${light}" opacity=".6"/>
   <rect x="156" y="222" width="88" height="60" rx="8" fill="#fffaf0"/><circle cx="200" cy="252" r="18" fill="${accent}"/>
   <path d="M200 236 c8 -12 22 -8 22 -8 c-2 10 -12 14 -22 8 Z" fill="${dark}"/>
   <path d="M148 176 v116" stroke="#fff" stroke-width="8" stroke-linecap="round" opacity=".5"/>`

export const bottle: Motif = ({ dark, accent, light }) =>
  `<path d="M178 96 h44 v52 c0 18 36 26 36 66 v86 a22 22 0 0 1 -22 22 h-72 a22 22 0 0 1 -22 -22 v-86 c0 -40 36 -48 36 -66 Z" fill="url(#main)"/>
   <rect x="172" y="72" width="56" height="34" rx="6" fill="url(#accent)"/><rect x="150" y="212" width="100" height="76" rx="6" fill="#fffaf0"/>
   <path d="M166 268 q34 -40 68 -42" fill="none" stroke="${dark}" stroke-width="4"/>
   <ellipse cx="184" cy="244" rx="9" ry="14" fill="${dark}" transform="rotate(40 184 244)"/><ellipse cx="214" cy="246" rx="9" ry="14" fill="${accent}" transform="rotate(70 214 246)"/>
   <path d="M158 200 c2 -14 16 -26 26 -38" fill="none" stroke="${light}" stroke-width="8" stroke-linecap="round" opacity=".8"/>`

export const coffeePot: Motif = ({ dark, accent }) =>
  `<path d="M262 158 h40 l-14 74 h-22" fill="none" stroke="${dark}" stroke-width="15" stroke-linejoin="round"/>
   <path d="M144 214 h112 l22 100 a8 8 0 0 1 -8 8 h-140 a8 8 0 0 1 -8 -8 Z" fill="url(#main)"/>
   <path d="M132 132 h124 l10 78 h-132 l8 -50 l-36 -22 Z" fill="url(#main)"/><rect x="132" y="206" width="136" height="14" rx="5" fill="${dark}"/>
   <path d="M140 132 c8 -30 102 -30 110 0 Z" fill="url(#deep)"/><circle cx="195" cy="102" r="11" fill="url(#accent)"/>
   <path d="M170 218 l-12 102 M228 218 l12 102 M168 136 l-4 70 M222 136 l6 70" stroke="${dark}" stroke-width="3" opacity=".5"/>
   <circle cx="199" cy="262" r="9" fill="${accent}"/>`

export const spoons: Motif = ({ dark, light }) => {
  const spoon = (angle: number, paint: string) =>
    `<g transform="rotate(${angle} 200 320)"><rect x="192" y="150" width="16" height="172" rx="8" fill="${paint}"/>
     <ellipse cx="200" cy="122" rx="32" ry="46" fill="${paint}"/><ellipse cx="198" cy="118" rx="20" ry="32" fill="${dark}" opacity=".35"/>
     <path d="M197 170 v130" stroke="${light}" stroke-width="3" opacity=".7"/></g>`
  return spoon(-24, 'url(#deep)') + spoon(22, 'url(#deep)') + spoon(-1, 'url(#main)')
}

export const grinder: Motif = ({ dark, accent, light }) =>
  `<rect x="132" y="214" width="136" height="104" rx="10" fill="url(#main)"/><rect x="124" y="308" width="152" height="14" rx="5" fill="${dark}"/>
   <rect x="164" y="252" width="72" height="40" rx="5" fill="url(#deep)"/><circle cx="200" cy="272" r="7" fill="${accent}"/>
   <path d="M150 214 c2 -58 98 -58 100 0 Z" fill="url(#glass)"/><path d="M158 212 c6 -30 78 -30 84 0 Z" fill="#5b3720"/>
   <rect x="193" y="126" width="14" height="48" fill="${dark}"/><path d="M200 132 h78" stroke="${dark}" stroke-width="11" stroke-linecap="round"/>
   <circle cx="284" cy="124" r="15" fill="url(#accent)"/><path d="M144 230 v70" stroke="${light}" stroke-width="6" opacity=".7" stroke-linecap="round"/>`
