export declare const storeId: unique symbol

/**
 * The id of a store that was proven: that a token or a membership opens, or that a statement has found. A text that somebody
 * gave becomes one only by such a check, so no query of a store can run without it.
 */
export type StoreId = string & { [storeId]: true }
