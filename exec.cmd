@rem cmd has no exec of its own: this is the one of the scripts "demo" and "service" in package.json.
@%*
