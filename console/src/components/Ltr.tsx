import type { ReactNode } from 'react'

/** References, phones, emails, SKUs, ids and code read from left to right in every language. */
export const Ltr = ({ children }: { children: ReactNode }) => <bdi dir="ltr">{children}</bdi>
