/** Set for processes that continue a run in the background. Internal: users must not set it. */
export const DETACHED_VARIABLE = 'CONDUCTOR_DETACHED';

/** Set for a process that ends when its standard input does, because the process that started it has ended. */
export const ATTENDED_VARIABLE = 'CONDUCTOR_ATTENDED';
