import { qrCode } from './qr-code.ts'

/** Modules of white that a scanner needs around the code. */
const QUIET = 4

/** Dark on white, whatever the theme: scanners expect it. */
export const QrCode = ({ text, label, className }: { text: string; label: string; className?: string | undefined }) => {
  const modules = qrCode(text)
  const size = modules.length + 2 * QUIET
  const path = modules
    .flatMap((line, row) => line.map((dark, column) => (dark ? `M${column + QUIET} ${row + QUIET}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      className={className}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
