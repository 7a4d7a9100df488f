package org.pgconcord.router.session;

/**
 * A call of {@code set_config}.
 *
 * @param command what it does, in the words of SET
 * @param repeat the statement that does it on another backend
 */
public record SettingCall(SettingCommand command, String repeat) {}
