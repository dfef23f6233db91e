export declare const storeId: unique symbol

/** The id of the store that a request may access. Only the access check creates one, so no query can run without it. */
export type StoreId = string & { [storeId]: true }
