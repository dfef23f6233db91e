import { useEffect, useRef } from 'react'

/** For a bar of links that may be wider than the screen: scrolls it so that the current one is seen. */
export const useCurrentInView = (current: string) => {
  const bar = useRef<HTMLUListElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link is current then.
  useEffect(() => {
    if (!bar.current || bar.current.scrollWidth <= bar.current.clientWidth) return
    bar.current.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' })
  }, [current])
  return bar
}
