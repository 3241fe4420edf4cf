// A backend that believes access tokens. Java 17 and Gson (apt install libgoogle-gson-java), then:
// ACCOUNTS_URL=https://accounts.example.com AUDIENCE=https://api.example.com java -cp /usr/share/java/gson.jar Verifier.java
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmParameters;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

public class Verifier {
  static final String ACCOUNTS_URL = System.getenv("ACCOUNTS_URL");
  static final String AUDIENCE = System.getenv("AUDIENCE");

  /** An empty acr and a maxAge of null require nothing. */
  record Requirement(String scope, String acr, Long maxAge) {}

  static final Map<String, Requirement> ROUTES = Map.of(
      "GET /orders", new Requirement("order:read", "", null),
      "POST /orders", new Requirement("order:place", "", 3600L),
      "GET /withdrawals", new Requirement("withdrawal:read", "aal2", null),
      "POST /withdrawals", new Requirement("withdrawal:create", "aal2", 300L));

  static class Refusal extends Exception {
    final int status;
    final String code, challenge;

    Refusal(int status, String code, String challenge) {
      this.status = status;
      this.code = code;
      this.challenge = challenge;
    }
  }

  static final Refusal INVALID = new Refusal(401, "UNAUTHORIZED", "Bearer error=\"invalid_token\"");
  static final Refusal UNAVAILABLE = new Refusal(503, "SERVICE_UNAVAILABLE", null);

  /** The key set, kept for five minutes. Unknown key ids fetch it again at most every 30 seconds. */
  static class Keys {
    record Fetched(Map<String, PublicKey> keys, long staleAt) {}

    private volatile Fetched fetched = new Fetched(Map.of(), 0);
    private long nextFetch = 0;
    private final HttpClient client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(3)).build();

    PublicKey find(String kid) throws Refusal {
      PublicKey known = findFresh(kid);
      if (known == null) known = findOrFetch(kid);
      if (known == null) throw INVALID;
      return known;
    }

    private PublicKey findFresh(String kid) {
      Fetched current = fetched;
      return now() < current.staleAt ? current.keys.get(kid) : null;
    }

    private synchronized PublicKey findOrFetch(String kid) throws Refusal {
      if (findFresh(kid) == null && now() >= nextFetch) {
        nextFetch = now() + 1;
        fetched = new Fetched(fetch(), now() + 300);
        nextFetch = now() + 30;
      }
      if (now() >= fetched.staleAt) throw UNAVAILABLE;
      return fetched.keys.get(kid);
    }

    private Map<String, PublicKey> fetch() throws Refusal {
      try {
        HttpRequest request = HttpRequest.newBuilder(URI.create(ACCOUNTS_URL + "/auth/jwks")).timeout(Duration.ofSeconds(3)).build();
        String body = client.send(request, BodyHandlers.ofString()).body();
        AlgorithmParameters curve = AlgorithmParameters.getInstance("EC");
        curve.init(new ECGenParameterSpec("secp256r1"));
        Map<String, PublicKey> keys = new HashMap<>();
        for (JsonElement element : JsonParser.parseString(body).getAsJsonObject().getAsJsonArray("keys")) {
          JsonObject jwk = element.getAsJsonObject();
          if (!"ES256".equals(text(jwk, "alg"))) continue;
          ECPoint point = new ECPoint(number(jwk, "x"), number(jwk, "y"));
          ECPublicKeySpec spec = new ECPublicKeySpec(point, curve.getParameterSpec(ECParameterSpec.class));
          keys.put(text(jwk, "kid"), KeyFactory.getInstance("EC").generatePublic(spec));
        }
        return keys;
      } catch (Exception error) {
        throw UNAVAILABLE;
      }
    }

    private static BigInteger number(JsonObject jwk, String name) {
      return new BigInteger(1, Base64.getUrlDecoder().decode(text(jwk, name)));
    }

    private static long now() {
      return System.nanoTime() / 1_000_000_000L + (1L << 40);
    }
  }

  static final Keys KEYS = new Keys();

  static String text(JsonObject object, String name) {
    JsonElement value = object.get(name);
    boolean isText = value != null && value.isJsonPrimitive() && value.getAsJsonPrimitive().isString();
    return isText ? value.getAsString() : "";
  }

  static JsonObject decode(String part) {
    return JsonParser.parseString(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8)).getAsJsonObject();
  }

  static JsonObject verify(String token) throws Refusal {
    try {
      String[] parts = token.split("\\.", -1);
      JsonObject header = decode(parts[0]);
      if (parts.length != 3 || !text(header, "alg").equals("ES256") || !text(header, "typ").equals("at+jwt")) throw INVALID;
      Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
      signature.initVerify(KEYS.find(text(header, "kid")));
      signature.update((parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII));
      if (!signature.verify(Base64.getUrlDecoder().decode(parts[2]))) throw INVALID;
      JsonObject claims = decode(parts[1]);
      long now = System.currentTimeMillis() / 1000, leeway = 5;
      boolean isCurrent = now < claims.get("exp").getAsLong() + leeway && now >= claims.get("nbf").getAsLong() - leeway;
      boolean isOurs = text(claims, "iss").equals(ACCOUNTS_URL) && text(claims, "aud").equals(AUDIENCE);
      boolean isComplete = !text(claims, "sub").isEmpty() && !text(claims, "acr").isEmpty() && claims.get("auth_time").getAsLong() > 0;
      if (!isCurrent || !isOurs || !isComplete) throw INVALID;
      return claims;
    } catch (Refusal refusal) {
      throw refusal;
    } catch (Exception | StackOverflowError malformed) {
      throw INVALID;
    }
  }

  /** RFC 9470: the challenge says what the person must prove. */
  static void require(JsonObject claims, Requirement required) throws Refusal {
    if (!List.of(text(claims, "scope").split(" ")).contains(required.scope))
      throw new Refusal(403, "INSUFFICIENT_SCOPE", "Bearer error=\"insufficient_scope\", scope=\"" + required.scope + "\"");
    String acr = text(claims, "acr");
    boolean isStrong = acr.compareTo(required.acr) >= 0;
    long age = System.currentTimeMillis() / 1000 - claims.get("auth_time").getAsLong();
    // A proof more than a minute in the future counts as too old: the clock was set back.
    boolean isRecent = required.maxAge == null || (age <= required.maxAge && age >= -60);
    if (isStrong && isRecent) return;
    String wanted = "acr_values=\"" + (isStrong ? acr : required.acr) + "\"";
    if (required.maxAge != null) wanted += ", max_age=\"" + required.maxAge + "\"";
    throw new Refusal(401, "INSUFFICIENT_USER_AUTHENTICATION", "Bearer error=\"insufficient_user_authentication\", " + wanted);
  }

  static void handle(HttpExchange exchange) throws IOException {
    try {
      Requirement required = ROUTES.get(exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath());
      if (required == null) throw new Refusal(404, "NOT_FOUND", null);
      String header = exchange.getRequestHeaders().getFirst("authorization");
      if (header == null || !header.matches("(?i)bearer \\S+")) throw new Refusal(401, "UNAUTHORIZED", "Bearer");
      JsonObject claims = verify(header.substring(7));
      require(claims, required);
      JsonObject body = new JsonObject();
      body.addProperty("user", text(claims, "sub"));
      for (String name : List.of("org", "role")) body.add(name, claims.has(name) ? claims.get(name) : JsonNull.INSTANCE);
      answer(exchange, 200, body);
    } catch (Refusal refusal) {
      if (refusal.challenge != null) exchange.getResponseHeaders().set("www-authenticate", refusal.challenge);
      JsonObject body = new JsonObject();
      body.addProperty("code", refusal.code);
      answer(exchange, refusal.status, body);
    }
  }

  static void answer(HttpExchange exchange, int status, JsonObject body) throws IOException {
    byte[] content = body.toString().getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, content.length);
    exchange.getResponseBody().write(content);
    exchange.close();
  }

  public static void main(String[] arguments) throws IOException {
    if (ACCOUNTS_URL == null || AUDIENCE == null || AUDIENCE.isEmpty()) throw new IllegalStateException("Set ACCOUNTS_URL and AUDIENCE.");
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.setExecutor(Executors.newFixedThreadPool(16));
    server.createContext("/", Verifier::handle);
    server.start();
  }
}
