package org.pgconcord.config.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The .pgpass format (PostgreSQL manual, "The Password File"): first matching line wins. */
final class PasswordFile {
  private PasswordFile() {}

  static Optional<String> find(
      List<String> lines, ShardAddress address, String database, String user) {
    List<String> wanted = List.of(address.host(), Integer.toString(address.port()), database, user);
    for (String line : lines) {
      List<String> fields = fields(line);
      if (!line.startsWith("#") && fields.size() == 5 && matches(fields, wanted)) {
        return Optional.of(fields.get(4));
      }
    }
    return Optional.empty();
  }

  private static boolean matches(List<String> fields, List<String> wanted) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!fields.get(i).equals("*") && !fields.get(i).equals(wanted.get(i))) {
        return false;
      }
    }
    return true;
  }

  /** Fields are parted by colons; a backslash takes the next character as it is. */
  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);
      if (c == '\\' && i + 1 < line.length()) {
        field.append(line.charAt(++i));
      } else if (c == ':' && fields.size() < 4) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return fields;
  }
}
