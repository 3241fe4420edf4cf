// Verifies a receipt of a confirmation, with the passkey's own signature. Java 17 alone:
// ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com java VerifyReceipt.java < receipt.txt
// RP_ID is the host of ACCOUNTS_URL unless PASSKEY_RP_ID was set. JWKS_URL is ACCOUNTS_URL/auth/jwks unless it is set.
// PIN_KEY is the thumbprint that an earlier run printed for this user: another passkey is then refused.
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

public class VerifyReceipt {
  static final String ACCOUNTS_URL = System.getenv("ACCOUNTS_URL").replaceAll("/$", "");
  static final String AUDIENCE = System.getenv("AUDIENCE");
  static final List<String> ORIGINS = List.of(setting("ORIGINS", ACCOUNTS_URL).split(","));
  static final String RP_ID = setting("RP_ID", URI.create(ACCOUNTS_URL).getHost());
  static final String JWKS_URL = setting("JWKS_URL", ACCOUNTS_URL + "/auth/jwks");
  static final String PIN_KEY = setting("PIN_KEY", "");

  static String setting(String name, String usual) {
    String value = System.getenv(name);
    return value == null || value.isEmpty() ? usual : value;
  }

  static class Refused extends RuntimeException {
    Refused(String reason) {
      super(reason);
    }
  }

  /** Reads JSON. Objects are sorted by UTF-16 units, as RFC 8785 asks. A number must be whole, and none is rounded. */
  static class Json {
    final String text;
    int at = 0;

    Json(String text) {
      this.text = text;
    }

    static Object parse(String text) {
      Json json = new Json(text);
      Object value = json.value();
      if (json.peek() != 0) throw new Refused("text after the JSON");
      return value;
    }

    char peek() {
      while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) at += 1;
      return at < text.length() ? text.charAt(at) : 0;
    }

    boolean take(char expected) {
      boolean isNext = peek() == expected;
      if (isNext) at += 1;
      return isNext;
    }

    void require(char expected) {
      if (!take(expected)) throw new Refused("not JSON");
    }

    Object value() {
      if (take('{')) {
        Map<String, Object> object = new TreeMap<>();
        if (take('}')) return object;
        do {
          peek();
          String name = string();
          require(':');
          if (object.putIfAbsent(name, value()) != null) throw new Refused("a member is repeated");
        } while (take(','));
        require('}');
        return object;
      }
      if (take('[')) {
        List<Object> list = new ArrayList<>();
        if (take(']')) return list;
        do list.add(value()); while (take(','));
        require(']');
        return list;
      }
      if (peek() == '"') return string();
      int start = at;
      while (at < text.length() && ",]} \t\n\r".indexOf(text.charAt(at)) < 0) at += 1;
      String word = text.substring(start, at);
      if (word.matches("-?(0|[1-9]\\d*)")) return new BigInteger(word);
      return switch (word) {
        case "true" -> true;
        case "false" -> false;
        case "null" -> NULL;
        default -> throw new Refused("a number is not whole");
      };
    }

    String string() {
      require('"');
      StringBuilder value = new StringBuilder();
      for (char next = text.charAt(at++); next != '"'; next = text.charAt(at++)) {
        if (next == '\\') {
          char escape = text.charAt(at++);
          int known = "btnfr".indexOf(escape);
          if (escape == 'u') value.append((char) Integer.parseInt(text.substring(at, at += 4), 16));
          else value.append(known >= 0 ? "\b\t\n\f\r".charAt(known) : escape);
        } else value.append(next);
      }
      return value.toString();
    }

    static final Object NULL = new Object() {
      public String toString() {
        return "null";
      }
    };

    static void write(Object value, StringBuilder out) {
      if (value instanceof Map<?, ?> object) {
        String comma = "";
        out.append('{');
        for (Map.Entry<?, ?> member : object.entrySet()) {
          out.append(comma);
          write(member.getKey(), out);
          out.append(':');
          write(member.getValue(), out);
          comma = ",";
        }
        out.append('}');
      } else if (value instanceof List<?> list) {
        String comma = "";
        out.append('[');
        for (Object item : list) {
          out.append(comma);
          write(item, out);
          comma = ",";
        }
        out.append(']');
      } else if (value instanceof String string) {
        out.append('"');
        for (char next : string.toCharArray()) {
          int known = "\b\t\n\f\r\"\\".indexOf(next);
          if (known >= 0) out.append('\\').append("btnfr\"\\".charAt(known));
          else if (next < 0x20) out.append(String.format("\\u%04x", (int) next));
          else out.append(next);
        }
        out.append('"');
      } else {
        out.append(value);
      }
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> object(Object value) {
    if (value instanceof Map) return (Map<String, Object>) value;
    throw new Refused("not an object");
  }

  static Map<String, Object> object(byte[] json) {
    return object(Json.parse(new String(json, StandardCharsets.UTF_8)));
  }

  static String text(Map<String, Object> object, String name) {
    if (object.get(name) instanceof String value) return value;
    throw new Refused(name + " is missing");
  }

  static String canonical(Map<String, Object> object, List<String> names) {
    Map<String, Object> selected = new TreeMap<>(object);
    selected.keySet().retainAll(names);
    StringBuilder out = new StringBuilder();
    Json.write(selected, out);
    return out.toString();
  }

  static byte[] decode(String text) {
    return Base64.getUrlDecoder().decode(text);
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] sha256(byte[]... parts) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    for (byte[] part : parts) digest.update(part);
    return digest.digest();
  }

  static String hash(String text) throws Exception {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(sha256(utf8(text)));
  }

  static BigInteger number(Map<String, Object> jwk, String name) {
    return new BigInteger(1, decode(text(jwk, name)));
  }

  static PublicKey toKey(Map<String, Object> jwk) throws Exception {
    switch (text(jwk, "kty")) {
      case "EC" -> {
        if (!text(jwk, "crv").equals("P-256")) throw new Refused("unknown curve");
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        ECPoint point = new ECPoint(number(jwk, "x"), number(jwk, "y"));
        return KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class)));
      }
      case "RSA" -> {
        return KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(number(jwk, "n"), number(jwk, "e")));
      }
      default -> {
        if (!text(jwk, "crv").equals("Ed25519")) throw new Refused("unknown curve");
        byte[] prefix = new BigInteger("302a300506032b6570032100", 16).toByteArray();
        byte[] spki = Arrays.copyOf(prefix, prefix.length + 32);
        System.arraycopy(decode(text(jwk, "x")), 0, spki, prefix.length, 32);
        return KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(spki));
      }
    }
  }

  static void verifySignature(String algorithm, PublicKey key, byte[] signature, byte[]... parts) throws Exception {
    Signature verifier = Signature.getInstance(algorithm);
    verifier.initVerify(key);
    for (byte[] part : parts) verifier.update(part);
    if (!verifier.verify(signature)) throw new Refused("wrong signature");
  }

  static Map<String, Object> readClaims(String receipt) throws Exception {
    String[] parts = receipt.split("\\.", -1);
    if (parts.length != 3) throw new Refused("not a receipt");
    Map<String, Object> header = object(decode(parts[0]));
    if (!text(header, "typ").equals("confirmation+jwt") || !text(header, "alg").equals("ES256")) throw new Refused("not a receipt");
    HttpRequest request = HttpRequest.newBuilder(URI.create(JWKS_URL)).timeout(Duration.ofSeconds(3)).build();
    byte[] keys = HttpClient.newHttpClient().send(request, BodyHandlers.ofByteArray()).body();
    for (Object key : (List<?>) object(keys).get("keys")) {
      Map<String, Object> jwk = object(key);
      if (!"ES256".equals(jwk.get("alg")) || !text(header, "kid").equals(jwk.get("kid"))) continue;
      verifySignature("SHA256withECDSAinP1363Format", toKey(jwk), decode(parts[2]), utf8(parts[0] + "." + parts[1]));
      Map<String, Object> claims = object(decode(parts[1]));
      if (!text(claims, "iss").equals(ACCOUNTS_URL)) throw new Refused("another issuer");
      if (!text(claims, "aud").equals(AUDIENCE)) throw new Refused("another audience");
      long now = System.currentTimeMillis() / 1000;
      if (!(claims.get("exp") instanceof BigInteger exp) || exp.compareTo(BigInteger.valueOf(now)) <= 0) throw new Refused("expired");
      return claims;
    }
    throw new Refused("unknown signing key");
  }

  static String verify(String receipt) throws Exception {
    Map<String, Object> claims = readClaims(receipt);
    if (!claims.containsKey("assertion")) throw new Refused("no passkey approved it");
    Map<String, Object> assertion = object(claims.get("assertion"));
    String signed = canonical(claims, List.of("authorization_details", "sub", "sid", "nonce", "exp"));
    String challenge = hash("floorpass-tx-v1\0" + signed);
    byte[] clientData = decode(text(assertion, "clientDataJSON"));
    Map<String, Object> client = object(clientData);
    byte[] data = decode(text(assertion, "authenticatorData"));
    if (!text(claims, "txn_hash").equals(challenge) || !text(client, "challenge").equals(challenge))
      throw new Refused("the passkey signed another transaction");
    if (!text(client, "type").equals("webauthn.get") || Boolean.TRUE.equals(client.get("crossOrigin")))
      throw new Refused("made in a frame, or for another purpose");
    if (!ORIGINS.contains(text(client, "origin"))) throw new Refused("signed on another site");
    if (!Arrays.equals(Arrays.copyOf(data, 32), sha256(utf8(RP_ID)))) throw new Refused("signed for another relying party");
    if ((data[32] & 0x05) != 0x05) throw new Refused("the passkey did not verify its user");
    Map<String, Object> jwk = object(assertion.get("publicKey"));
    String algorithm = switch (text(jwk, "kty")) {
      case "EC" -> "SHA256withECDSA";
      case "RSA" -> "SHA256withRSA";
      default -> "Ed25519";
    };
    verifySignature(algorithm, toKey(jwk), decode(text(assertion, "signature")), data, sha256(clientData));
    String key = hash(canonical(jwk, List.of("crv", "e", "kty", "n", "x", "y")));
    if (!PIN_KEY.isEmpty() && !PIN_KEY.equals(key)) throw new Refused("signed by another passkey than the pinned one");
    return "accepted " + text(claims, "jti") + " of " + text(claims, "sub") + " by " + key;
  }

  public static void main(String[] arguments) throws Exception {
    String receipt = new String(System.in.readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      System.out.println(verify(receipt));
    } catch (IOException error) {
      System.out.println("not verified, because " + JWKS_URL + " does not answer: " + error);
      System.exit(2);
    } catch (Exception error) {
      System.out.println("refused: " + error.getMessage());
      System.exit(1);
    }
  }
}
